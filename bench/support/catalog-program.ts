/** Runs many MCP servers in one process, separate from the measured one: `catalog-program.ts SERVERS TOOLS`. Prints its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { type McpHttpHandler, Server, type Tool, createMcpHandler } from '@modelcontextprotocol/server';

const [servers, tools] = process.argv.slice(2).map(Number);

/** Returns a tool definition of realistic size. */
function definition(name: string): Tool {
  return {
    name,
    title: `Looks up ${name}`,
    description: `Looks up ${name} in the records of the project and returns what matches, newest first. Ask for few at a time.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words to look for; all of them must occur.', minLength: 1 },
        limit: { type: 'integer', description: 'How many to return at most.', minimum: 1, maximum: 100, default: 10 },
        order: { type: 'string', enum: ['newest', 'oldest', 'relevance'], description: 'What comes first.' },
        labels: { type: 'array', items: { type: 'string' }, description: 'Only those that have one of these labels.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

function handlerOf(index: number): McpHttpHandler {
  const listed = Array.from({ length: tools ?? 0 }, (_, tool) => definition(`find_${index}_${tool}`));
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: `records-${index}`, version: '1' },
      { capabilities: { tools: { listChanged: true } } },
    );
    server.setRequestHandler('tools/list', () => ({ tools: listed }));
    server.setRequestHandler('tools/call', ({ params }) => {
      if (params.name === 'grow') {
        listed.push(definition(`added_${listed.length}`));
        handler.notify.toolsChanged();
      }
      return { content: [{ type: 'text', text: `found ${String(params.arguments?.['query'])}` }] };
    });
    return server;
  });
  return handler;
}

const handlers = Array.from({ length: servers ?? 0 }, (_, index) => handlerOf(index));
const listener = getRequestListener((request) => {
  const handler = handlers[Number(new URL(request.url).pathname.slice(1))];
  return handler?.fetch(request) ?? new Response('no such server', { status: 404 });
});
const http = createServer((request, response) => void listener(request, response));
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}`));
