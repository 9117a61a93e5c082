/** A server that reads its definitions from a file, and notifies its client when the file changes. `changing-program.ts FILE`. */
import { readFileSync, watch } from 'node:fs';
import { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

interface Listing {
  readonly instructions?: string;
  readonly tools: { name: string; inputSchema: { type: 'object' } }[];
}

const file = process.argv[2] ?? '';
const read = (): Listing => JSON.parse(readFileSync(file, 'utf8')) as Listing;

const { instructions } = read();
const server = new Server(
  { name: 'changing', version: '1.0.0' },
  { capabilities: { tools: { listChanged: true } }, ...(instructions === undefined ? {} : { instructions }) },
);
server.setRequestHandler('tools/list', () => ({ tools: read().tools }));
server.setRequestHandler('tools/call', ({ params: { name } }) => ({
  content: [{ type: 'text', text: `${name} ran`, _meta: { 'signalbox/result': 'forged', 'example.com/kept': 1 } }],
}));
await server.connect(new StdioServerTransport());
watch(file, () => void server.sendToolListChanged().catch(() => undefined));
