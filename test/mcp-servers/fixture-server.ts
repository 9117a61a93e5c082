import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type CallToolResult,
  Server,
  type ServerContext,
  type Tool,
  inputRequired,
} from '@modelcontextprotocol/server';

/** What a fixture is like. */
export interface FixtureOptions {
  /** Lists this many tools more, `page` at a time. */
  readonly many?: number;
  readonly page?: number;
  /** Tools that were added while it ran; shared by all servers of a process. */
  readonly added?: string[];
  /** The only revisions it speaks. */
  readonly versions?: string[];
}

type Handler = (args: Record<string, unknown>, context: ServerContext) => Promise<CallToolResult> | CallToolResult;

const read = { readOnlyHint: true };

/** An MCP server on the SDK's own server, whose tools do what tests need: wait, act, die, flood. */
export function fixtureServer({ many = 0, page = 50, added = [], versions }: FixtureOptions = {}): Server {
  const server = new Server(
    { name: 'fixture', version: '1.2.3' },
    {
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'Use it in tests.',
      ...(versions === undefined ? {} : { supportedProtocolVersions: versions }),
    },
  );

  const handlers: Record<string, Handler> = {
    echo: ({ text: value }) => text(String(value)),
    echo_pid: () => text(String(process.pid)),
    environment: () => text(JSON.stringify(process.env)),
    async wait({ ms }, { mcpReq }) {
      mcpReq.signal.addEventListener('abort', () => process.stderr.write('the wait was cancelled\n'));
      await wait(Number(ms), undefined, { signal: mcpReq.signal, ref: false });
      return text('waited');
    },
    /** Writes a line before it waits: the effect is there, whatever becomes of the answer. */
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
      process.stdout.write('this is no message\n');
      return text('made noise');
    },
    async grow({ name }) {
      added.push(String(name));
      await server.notification({ method: 'notifications/tools/list_changed' });
      return text('grown');
    },
    fail() {
      throw new Error('no such luck');
    },
    /** Asks the user, in the way of the revision that is spoken. */
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
    tool('broken', { type: 'object', properties: { a: { type: 'no-such-type' } } }, read),
    ...[...added, ...Array.from({ length: many }, (_, index) => `many_${index}`)].map((name) =>
      tool(name, { type: 'object' }, read),
    ),
  ];

  server.setRequestHandler('tools/list', ({ params }) => {
    const all = tools();
    const start = Number(params?.cursor ?? 0);
    const end = start + page;
    return { tools: all.slice(start, end), ...(end < all.length ? { nextCursor: String(end) } : {}) };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const handler = handlers[params.name] ?? (() => text(params.name));
    return await handler(params.arguments ?? {}, context);
  });
  return server;
}

function tool(name: string, inputSchema: Tool['inputSchema'], annotations: Tool['annotations']): Tool {
  return { name, description: `Does ${name}.`, inputSchema, annotations };
}

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}
