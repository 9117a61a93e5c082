/**
 * A server over HTTP as most are: built on the official SDK in its default form, with sessions and answers as event streams. Prints
 * its URL.
 */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as z from 'zod';

const transports = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  const server = new McpServer({ name: 'echo', version: '1' });
  const options = {
    description: 'Returns a text.',
    inputSchema: { text: z.string() },
    annotations: { readOnlyHint: true },
  };
  server.registerTool('echo', options, ({ text }) => ({ content: [{ type: 'text', text }] }));
  await server.connect(transport);
  return transport;
}

const http = createServer((request, response) => {
  const id = request.headers['mcp-session-id'];
  const open = typeof id === 'string' ? transports.get(id) : undefined;
  void Promise.resolve(open ?? openSession()).then((transport) => transport.handleRequest(request, response));
});
http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
