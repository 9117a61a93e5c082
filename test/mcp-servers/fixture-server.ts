import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CallToolResult,
  type InputRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
  inputRequired,
} from '@modelcontextprotocol/server';

/** Options of the fixture. */
export interface FixtureOptions {
  /** Omits the tool with an invalid schema. */
  readonly valid?: boolean;
  /** Number of additional tools. */
  readonly many?: number;
  /** Number of tools on a page. */
  readonly page?: number;
  /** Whether the list of tools has no last page. */
  readonly endless?: boolean;
  /** Names of tools that were added at runtime; shared by all servers of a process. */
  readonly added?: string[];
  /** The only supported protocol versions. */
  readonly versions?: string[];
}

type Handler = (args: Record<string, unknown>, context: ServerContext) => Promise<CallToolResult> | CallToolResult;

const read = { readOnlyHint: true };

/** Creates an MCP server on the SDK's server, with tools for tests: they wait, have effects, crash, ask. */
export function fixtureServer({
  many = 0,
  valid = false,
  page = 50,
  endless = false,
  added = [],
  versions,
}: FixtureOptions = {}): Server {
  const server = new Server(
    { name: 'fixture', version: '1.2.3' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      instructions: 'Use it in tests.',
      ...(versions === undefined ? {} : { supportedProtocolVersions: versions }),
    },
  );
  addContent(server, added);

  const handlers: Record<string, Handler> = {
    echo: ({ text: value }) => text(String(value)),
    echo_pid: () => text(String(process.pid)),
    routed: ({ region }) => text(`routed to ${String(region)}`),
    environment: () => text(JSON.stringify(process.env)),
    async wait({ ms }, { mcpReq }) {
      mcpReq.signal.addEventListener('abort', () => process.stderr.write('the wait was cancelled\n'));
      await wait(Number(ms), undefined, { signal: mcpReq.signal, ref: false });
      return text('waited');
    },
    /** Writes a line before it waits, so the effect happens even when the response is lost. */
    async act({ file, line, ms }) {
      appendFileSync(String(file), `${String(line)}\n`);
      await wait(Number(ms ?? 0), undefined, { ref: false });
      return text('acted');
    },
    die: () => process.exit(3),
    hang() {
      for (;;);
    },
    large: ({ bytes }) => text('x'.repeat(Number(bytes))),
    flood({ lines }) {
      for (let line = 0; line < Number(lines); line += 1) process.stderr.write(`line ${line} ${'.'.repeat(200)}\n`);
      return text('flooded');
    },
    noise() {
      process.stdout.write('this is not a message\n');
      return text('made noise');
    },
    async grow({ name }) {
      added.push(String(name));
      await server.notification({ method: 'notifications/tools/list_changed' });
      await server.notification({ method: 'notifications/resources/list_changed' });
      await server.notification({ method: 'notifications/prompts/list_changed' });
      return text('grown');
    },
    fail() {
      throw new Error('no such luck');
    },
    /** Asks the user, in the form of the negotiated revision. */
    ask(_args, { mcpReq }) {
      const answer = mcpReq.inputResponses?.['name'];
      if (answer !== undefined) return text(`answered ${JSON.stringify(answer)} to ${String(mcpReq.requestState())}`);
      const schema = { type: 'object' as const, properties: { name: { type: 'string' as const } } };
      return inputRequired({
        inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema: schema }) },
        requestState: 'state-1',
      }) as unknown as CallToolResult;
    },
    broken: () => text('ran unchecked'),
    /** Waits, logs, asks about a topic, and returns topic and answer. `loose`: the question does not name its call, where that is possible. */
    async interview({ topic, ms = 0, loose = false, stubborn = false }, { mcpReq }) {
      const message = `What about ${String(topic)}?`;
      const requestedSchema = { type: 'object' as const, properties: { answer: { type: 'string' as const } } };
      const params = { mode: 'form' as const, message, requestedSchema };
      const given = mcpReq.inputResponses?.['answer'] as { content?: { answer?: string } } | undefined;
      if (given !== undefined) return text(`${String(topic)}: ${given.content?.answer ?? JSON.stringify(given)}`);
      await wait(Number(ms), undefined, { ref: false, ...(stubborn === true ? {} : { signal: mcpReq.signal }) });
      await mcpReq.log('info', `about ${String(topic)}`);
      if (mcpReq.envelope !== undefined)
        return inputRequired({
          inputRequests: { answer: inputRequired.elicit({ message, requestedSchema }) },
          requestState: 'asked',
        }) as unknown as CallToolResult;
      const asked =
        loose === true ? await server.elicitInput(params) : await mcpReq.send({ method: 'elicitation/create', params });
      return text(`${String(topic)}: ${(asked.content?.['answer'] ?? JSON.stringify(asked)) as string}`);
    },
    /** Sends any request to its client, in the form of the negotiated revision, and returns the response. */
    async request({ method, params }, { mcpReq }) {
      const given = mcpReq.inputResponses?.['given'];
      if (given !== undefined) return text(JSON.stringify(given));
      const request = { method, params } as unknown as {
        method: 'elicitation/create';
        params: Record<string, unknown>;
      };
      if (mcpReq.envelope === undefined) return text(JSON.stringify(await mcpReq.send(request)));
      return inputRequired({
        inputRequests: { given: request as unknown as InputRequest },
      }) as unknown as CallToolResult;
    },
    /** Fails until the user has opened a page. */
    visit({ url }) {
      const elicitations = [{ mode: 'url' as const, message: 'Sign in', url: String(url), elicitationId: 'page-1' }];
      throw new ProtocolError(-32_042, 'sign in first', { elicitations });
    },
    async steps({ name, count }, { mcpReq }) {
      const progressToken = mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= Number(count); progress += 1) {
        const params = { progressToken: progressToken ?? '', progress, message: String(name) };
        await mcpReq.notify({ method: 'notifications/progress', params });
        await wait(1);
      }
      return text(String(name));
    },
    async directories(_args, { mcpReq }) {
      if (mcpReq.envelope === undefined) return text(JSON.stringify(await mcpReq.send({ method: 'roots/list' })));
      const listed = mcpReq.inputResponses?.['roots'];
      if (listed !== undefined) return text(JSON.stringify(listed));
      return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } }) as unknown as CallToolResult;
    },
  };

  const tools = (): Tool[] => [
    tool('echo', { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }, read),
    tool('environment', { type: 'object' }, read),
    tool('wait', { type: 'object', properties: { ms: { type: 'number' } } }, read),
    tool('act', { type: 'object' }, { idempotentHint: true }),
    tool('die', { type: 'object' }, read),
    tool('hang', { type: 'object' }, read),
    tool('large', { type: 'object' }, read),
    tool('flood', { type: 'object' }, read),
    tool('noise', { type: 'object' }, read),
    tool('grow', { type: 'object' }, read),
    tool('fail', { type: 'object' }, read),
    tool('ask', { type: 'object' }, read),
    tool('routed', { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }, read),
    tool('interview', { type: 'object' }, read),
    tool('request', { type: 'object' }, read),
    tool('visit', { type: 'object' }, read),
    tool('steps', { type: 'object' }, read),
    tool('directories', { type: 'object' }, read),
    ...(valid ? [] : [tool('broken', { type: 'object', properties: { a: { type: 'no-such-type' } } }, read)]),
    ...[...added, ...Array.from({ length: many }, (_, index) => `many_${index}`)].map((name) =>
      tool(name, { type: 'object' }, read),
    ),
  ];

  server.setRequestHandler('tools/list', ({ params }) => {
    const all = tools();
    const start = Number(params?.cursor ?? 0);
    const end = start + page;
    return { tools: all.slice(start, end), ...(end < all.length || endless ? { nextCursor: String(end) } : {}) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const handler = handlers[params.name] ?? (() => text(params.name));
    return await handler(params.arguments ?? {}, context);
  });
  return server;
}

const maxOnPage = 2;

/** Adds resources, templates, prompts and completion, two on a page. Each name of `added` adds one of each. */
function addContent(server: Server, added: readonly string[]): void {
  const resources = (): { uri: string; name: string; description: string }[] =>
    ['one', 'two', 'three', ...added].map((name) => ({
      uri: `note://${name}`,
      name,
      description: `The note\u200b ${name}.`,
    }));
  server.setRequestHandler('resources/list', ({ params }) => {
    const { items, ...rest } = pageOf(resources(), params?.cursor);
    return { resources: items, ...rest };
  });
  server.setRequestHandler('resources/templates/list', ({ params }) => {
    const all = ['note', ...added].map((name) => ({ uriTemplate: `${name}://{name}`, name }));
    const { items, ...rest } = pageOf(all, params?.cursor);
    return { resourceTemplates: items, ...rest };
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    if (uri === 'note://slow') await wait(60_000, undefined, { ref: false, signal: mcpReq.signal });
    if (!resources().some((each) => each.uri === uri))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no ${uri}`);
    return { contents: [{ uri, mimeType: 'text/plain', text: `the text of ${uri}\u200b` }] };
  });
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    setTimeout(() => void server.sendResourceUpdated({ uri }), 10).unref();
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', ({ params }) => {
    const greet = { description: 'Greets.', arguments: [{ name: 'who', description: 'Whom', required: true }] };
    const { items, ...rest } = pageOf(
      ['greet', ...added].map((name) => ({ name, ...greet })),
      params?.cursor,
    );
    return { prompts: items, ...rest };
  });
  server.setRequestHandler('prompts/get', ({ params }) => ({
    messages: [
      { role: 'user' as const, content: { type: 'text' as const, text: `Greet ${params.arguments?.['who']}.` } },
    ],
  }));
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: ['ada', 'alan', 'grace'].filter((name) => name.startsWith(params.argument.value)) },
  }));
}

function pageOf<Item>(all: readonly Item[], cursor = '0'): { items: Item[]; nextCursor?: string } {
  const end = Number(cursor) + maxOnPage;
  return { items: all.slice(Number(cursor), end), ...(end < all.length ? { nextCursor: String(end) } : {}) };
}

function tool(name: string, inputSchema: Tool['inputSchema'], annotations: Tool['annotations']): Tool {
  return { name, description: `Does ${name}.`, inputSchema, annotations };
}

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}
