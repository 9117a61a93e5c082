/**
 * A minimal gateway: receives JSON-RPC over HTTP, forwards it with a new id, and returns the response.
 * `pass-through-program.ts PORT URL`, or `pass-through-program.ts PORT COMMAND ARG…` for a server on stdio.
 */
import { spawn } from 'node:child_process';
import { Agent, createServer, request as requestHttp } from 'node:http';
import { MessageReader } from '../../../src/process/message-reader.ts';

interface Message {
  id?: string | number;
}
type Send = (message: Message, answered: (answer: Message) => void) => void;

const [port, target = '', ...args] = process.argv.slice(2);
const send = target.startsWith('http') ? overHttp(target) : overStdio(target, args);

createServer((request, response) => {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const message = JSON.parse(body) as Message;
    const { id } = message;
    if (id === undefined) {
      send(message, () => undefined);
      response.writeHead(202).end();
      return;
    }
    send(message, (answer) => {
      const text = JSON.stringify({ ...answer, id });
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
        .end(text);
    });
  });
}).listen(Number(port), '127.0.0.1');

function overStdio(command: string, given: readonly string[]): Send {
  const { stdin, stdout } = spawn(command, given, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<unknown, (answer: Message) => void>();
  let last = 0;
  let batch = '';
  const reader = new MessageReader({
    maxMessageBytes: 16 * 1024 * 1024,
    onMessage: (message: Message) => {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    },
    onNoise: () => undefined,
    onTooLarge: () => process.exit(1),
  });
  stdout.on('data', (chunk: Buffer) => reader.read(chunk));
  process.once('SIGTERM', () => stdin.end(() => process.exit()));
  return (message, answered) => {
    if (message.id !== undefined) {
      message.id = last += 1;
      waiting.set(last, answered);
    }
    if (batch === '')
      process.nextTick(() => {
        stdin.write(batch);
        batch = '';
      });
    batch += `${JSON.stringify(message)}\n`;
  };
}

function overHttp(url: string): Send {
  const agent = new Agent({ keepAlive: true });
  const headers: Record<string, string> = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
  };
  return (message, answered) => {
    const text = JSON.stringify(message);
    const length = { 'Content-Length': Buffer.byteLength(text) };
    const request = requestHttp(url, { method: 'POST', agent, headers: { ...headers, ...length } }, (response) => {
      const session = response.headers['mcp-session-id'];
      if (typeof session === 'string') headers['Mcp-Session-Id'] = session;
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true;
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => {
        const answer = isStream ? dataOf(body) : body;
        if (answer !== '') answered(JSON.parse(answer) as Message);
      });
    });
    request.end(text);
  };
}

/** Returns the data of the only event of a stream. */
function dataOf(stream: string): string {
  return /^data: (.*)$/m.exec(stream)?.[1] ?? '';
}
