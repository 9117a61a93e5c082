import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { ProtocolError, ProtocolErrorCode, Server, createMcpHandler } from '@modelcontextprotocol/server';
import { type Lists, asking, contentOf, fixtureTools, form, picture } from './fixture-tools.ts';

/** The server with the tools that the suite expects. It runs behind Signalbox. */
export interface Fixture {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server over HTTP, in the newest revision. */
export async function startFixture(): Promise<Fixture> {
  const lists: Lists = {
    toolAdded: false,
    promptAdded: false,
    changed: (list) => (list === 'tools' ? handler.notify.toolsChanged() : handler.notify.promptsChanged()),
  };
  const handler = createMcpHandler(() => fixtureServer(lists));
  const listener = getRequestListener((request) => handler.fetch(request));
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function fixtureServer(lists: Lists): Server {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
    },
  );
  const tools = fixtureTools(lists);
  server.setRequestHandler('tools/list', () => ({
    tools: [
      ...tools,
      ...(lists.toolAdded ? [['test_added', { inputSchema: { type: 'object' as const } }] as const] : []),
    ].map(([name, { inputSchema }]) => ({
      name,
      description: `Does ${name}.`,
      inputSchema,
      annotations: { readOnlyHint: true },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no ${params.name}`);
    try {
      return await tool.run(params.arguments ?? {}, context);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
    }
  });
  addPrompts(server, lists);
  addResources(server);
  server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: {
      values: ['paris', 'park', 'party'].filter((word) => word.startsWith(params.argument.value)),
      total: 3,
      hasMore: false,
    },
  }));
  return server;
}

function addPrompts(server: Server, lists: Lists): void {
  const says = (content: object): { messages: never[] } => ({ messages: [{ role: 'user', content } as never] });
  const text = (value: string): object => ({ type: 'text', text: value });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [
      { name: 'test_simple_prompt', description: 'A simple prompt.' },
      {
        name: 'test_prompt_with_arguments',
        description: 'A prompt with arguments.',
        arguments: ['arg1', 'arg2'].map((name) => ({ name, description: `The ${name}`, required: true })),
      },
      {
        name: 'test_prompt_with_embedded_resource',
        description: 'A prompt with a resource.',
        arguments: [{ name: 'resourceUri', description: 'Which one', required: true }],
      },
      { name: 'test_prompt_with_image', description: 'A prompt with a picture.' },
      { name: 'test_input_required_result_prompt', description: 'A prompt that asks.' },
      ...(lists.promptAdded ? [{ name: 'test_added_prompt', description: 'Added while running.' }] : []),
    ],
  }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: args = {} } }, context) => {
    switch (name) {
      case 'test_simple_prompt':
        return says(text('This is a simple prompt for testing.'));
      case 'test_prompt_with_arguments':
        return says(text(`Prompt with arguments: arg1='${args['arg1']}', arg2='${args['arg2']}'`));
      case 'test_prompt_with_embedded_resource': {
        const resource = {
          uri: args['resourceUri'],
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        };
        return {
          messages: [
            says({ type: 'resource', resource }).messages,
            says(text('Please process the embedded resource above.')).messages,
          ].flat(),
        };
      }
      case 'test_prompt_with_image':
        return {
          messages: [
            says({ type: 'image', data: picture, mimeType: 'image/png' }).messages,
            says(text('Please analyze the image above.')).messages,
          ].flat(),
        };
      case 'test_input_required_result_prompt': {
        const requests = {
          user_context: form('What context should the prompt use?', { context: { type: 'string' } }, ['context']),
        };
        return asking(
          context,
          requests,
          (given) => says(text(contentOf(given['user_context'], 'context'))) as never,
        ) as never;
      }
      default:
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no ${name}`);
    }
  });
}

function addResources(server: Server): void {
  const resources = {
    'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    'test://static-binary': { mimeType: 'image/png', blob: picture },
    'test://watched-resource': { mimeType: 'text/plain', text: 'This resource may change.' },
  };
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({
      uri,
      name: uri,
      description: `The resource ${uri}.`,
      mimeType,
    })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'Data by id.',
        mimeType: 'application/json',
      },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = Object.entries(resources).find(([known]) => known === uri);
    if (found !== undefined) return { contents: [{ uri, ...found[1] }] };
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri });
    const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: 'application/json', text }] };
  });
}
