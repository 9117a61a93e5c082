/** The MCP server for the tests of clients: `fixture-program.ts MARKS`. It notes in MARKS when a wait begins and is cancelled. */
import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type CallToolResult, Server, type ServerContext, type Tool } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { largeLines, picture } from './fixture-content.ts';

const [marks = '/dev/null'] = process.argv.slice(2);
const server = new Server(
  { name: 'field-fixture', version: '1.0.0' },
  { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: 'For tests of clients.' },
);

type Handler = (args: Record<string, unknown>, context: ServerContext) => Promise<CallToolResult> | CallToolResult;

const handlers: Record<string, Handler> = {
  read_note: () => text('Milk, bread, a long walk.'),
  send_note: ({ to }) => text(`sent to ${String(to)}`),
  delete_note: () => text('deleted'),
  async wait_long(_args, { mcpReq }) {
    appendFileSync(marks, 'begun\n');
    mcpReq.signal.addEventListener('abort', () => appendFileSync(marks, 'cancelled\n'));
    await wait(120_000, undefined, { ref: false, signal: mcpReq.signal });
    return text('waited');
  },
  async make_steps(_args, { mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return text('the client sent no progress token');
    for (let progress = 1; progress <= 3; progress += 1) {
      const params = { progressToken, progress, total: 3, message: `step ${progress}` };
      await mcpReq.notify({ method: 'notifications/progress', params });
      await wait(50);
    }
    return text('three steps');
  },
  async ask_name(_args, { mcpReq }) {
    const requestedSchema = {
      type: 'object' as const,
      properties: { name: { type: 'string' as const } },
      required: ['name'],
    };
    const params = { mode: 'form' as const, message: 'What is your name?', requestedSchema };
    const { action, content } = await mcpReq.send({ method: 'elicitation/create', params });
    return text(action === 'accept' ? `hello ${String(content?.['name'])}` : `you said ${action}`);
  },
  read_large: () => ({
    content: [{ type: 'text', text: JSON.stringify({ lines: largeLines }) }],
    structuredContent: { lines: largeLines },
  }),
  read_picture: () => ({ content: [{ type: 'image', mimeType: 'image/png', data: picture }] }),
};

const read = { readOnlyHint: true };
const nothing = { type: 'object' as const, properties: {} };
const tools: Tool[] = [
  { name: 'read_note', description: 'Reads the note.', inputSchema: nothing, annotations: read },
  {
    name: 'send_note',
    description: 'Sends the note.',
    inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  },
  {
    name: 'delete_note',
    description: 'Deletes the note.',
    inputSchema: nothing,
    annotations: { destructiveHint: true },
  },
  { name: 'wait_long', description: 'Waits for two minutes.', inputSchema: nothing, annotations: read },
  { name: 'make_steps', description: 'Makes three steps.', inputSchema: nothing, annotations: read },
  { name: 'ask_name', description: 'Asks for a name.', inputSchema: nothing, annotations: read },
  {
    name: 'read_large',
    description: 'Reads 100 KB of lines.',
    inputSchema: nothing,
    outputSchema: {
      type: 'object',
      properties: { lines: { type: 'array', items: { type: 'string' } } },
      required: ['lines'],
    },
    annotations: read,
  },
  { name: 'read_picture', description: 'Reads a picture.', inputSchema: nothing, annotations: read },
];

server.setRequestHandler('tools/list', () => ({ tools }));
server.setRequestHandler('tools/call', ({ params }, context) => {
  const handler = handlers[params.name];
  if (handler === undefined) throw new Error(`there is no tool ${params.name}`);
  return handler(params.arguments ?? {}, context);
});
server.setRequestHandler('resources/list', () => ({ resources: [{ uri: 'note://one', name: 'one' }] }));
server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [{ uri, text: 'a note' }] }));
server.setRequestHandler('prompts/list', () => ({ prompts: [{ name: 'greet' }] }));
server.setRequestHandler('prompts/get', () => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say hello.' } }],
}));
await server.connect(new StdioServerTransport());

function text(value: string): CallToolResult {
  return { content: [{ type: 'text', text: value }] };
}
