/**
 * The server behind every gateway: `echo`, and a number of other tools. It uses no SDK, so that its own cost does not hide that
 * of the gateway. `echo-program.ts TOOLS` uses stdio, `echo-program.ts TOOLS http` prints its URL.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MessageReader } from '../../../src/process/message-reader.ts';

interface Request {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly text?: string } };
}

const [count, transport] = process.argv.slice(2);

function definition(name: string): object {
  return {
    name,
    description: `Looks up ${name} in the records of the project and returns what matches, newest first.`,
    inputSchema: {
      type: 'object',
      properties: {
        text: { type: 'string', description: 'Words to look for; all of them must occur.' },
        limit: { type: 'integer', description: 'How many to return at most.', minimum: 1, maximum: 100, default: 10 },
        order: { type: 'string', enum: ['newest', 'oldest', 'relevance'], description: 'What comes first.' },
      },
      required: ['text'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
}

const listed = JSON.stringify({
  tools: ['echo', ...Array.from({ length: Number(count) - 1 }, (_, index) => `find_${index}`)].map(definition),
});

/** Returns the text of the response; undefined for a notification. */
function answer({ id, method = '', params }: Request): string | undefined {
  if (id === undefined) return undefined;
  const result = (text: string): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
  switch (method) {
    case 'initialize': {
      const serverInfo = { name: 'echo', version: '1' };
      const protocolVersion = params?.protocolVersion ?? '2025-06-18';
      return result(JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo }));
    }
    case 'ping':
      return result('{}');
    case 'tools/list':
      return result(listed);
    case 'tools/call':
      return result(JSON.stringify({ content: [{ type: 'text', text: params?.arguments?.text ?? '' }] }));
    default:
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: `there is no method ${method}` } });
  }
}

if (transport === 'http') {
  const http = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = answer(JSON.parse(Buffer.concat(chunks).toString()) as Request);
      if (text === undefined) response.writeHead(202).end();
      else
        response
          .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
          .end(text);
    });
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
} else {
  let answers = '';
  const reader = new MessageReader({
    maxMessageBytes: 1024 * 1024,
    onMessage: (message) => {
      const text = answer(message);
      if (text !== undefined) answers += `${text}\n`;
    },
    onNoise: () => undefined,
    onTooLarge: () => process.exit(1),
  });
  process.stdin.on('data', (chunk: Buffer) => {
    reader.read(chunk);
    if (answers !== '') process.stdout.write(answers);
    answers = '';
  });
  process.stdin.on('end', () => process.exit());
}
