/** A simple gateway on the MCP SDK: `sdk-gateway-program.ts PORT URL`, or `PORT COMMAND ARG…` for a server on stdio. */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Server, createMcpHandler } from '@modelcontextprotocol/server';

const [port, target = '', ...args] = process.argv.slice(2);
const client = new Client({ name: 'gateway', version: '1' });
await client.connect(
  target.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args }),
);

const handler = createMcpHandler(() => {
  const server = new Server({ name: 'gateway', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', ({ params }) => client.listTools(params));
  server.setRequestHandler('tools/call', ({ params }) => client.callTool(params));
  return server;
});
const listener = getRequestListener((request) => handler.fetch(request));
createServer((request, response) => void listener(request, response)).listen(Number(port), '127.0.0.1');
process.once('SIGTERM', () => void client.close().finally(() => process.exit()));
