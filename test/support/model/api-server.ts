import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ModelBlock, type ModelRefusal, isRefusal } from './model-script.ts';

/** The API of a model provider, with scripted responses. */
export interface ModelApi<Request> {
  readonly url: string;
  /** All requests so far. */
  readonly requests: readonly Request[];
  close(): Promise<void>;
}

type Answer = readonly ModelBlock[] | ModelRefusal;

/** The request and response formats of an API. */
export interface ApiDialect<Request> {
  /** Returns the scripted answer to a request. */
  answer(request: Request): Answer | Promise<Answer>;
  /** Returns the body of an error response. */
  refusal(refusal: ModelRefusal): object;
  /** Streams the blocks; returns a function that ends the stream. */
  stream(blocks: readonly ModelBlock[], send: Send, index: number): () => void;
}

/** Sends one server-sent event. */
export type Send = (data: object | string, event?: string) => void;

/** Starts an API on a free local port. */
export async function startApi<Request>(
  dialectOf: (path: string) => ApiDialect<Request> | undefined,
): Promise<ModelApi<Request>> {
  const requests: Request[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const dialect = request.method === 'POST' ? dialectOf(request.url ?? '') : undefined;
      if (dialect === undefined) return void response.writeHead(404).end();
      const parsed = JSON.parse(body) as Request;
      requests.push(parsed);
      const index = requests.length;
      reply(dialect, await dialect.answer(parsed), response, index);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reply<Request>(dialect: ApiDialect<Request>, answer: Answer, response: ServerResponse, index: number): void {
  if (isRefusal(answer)) {
    // Makes clients retry at once, unless the script sets headers.
    const headers = answer.headers ?? { 'retry-after-ms': '1' };
    response.writeHead(answer.status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(dialect.refusal(answer)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send: Send = (data, event) => {
    const eventLine = event === undefined ? '' : `event: ${event}\n`;
    response.write(`${eventLine}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
  };
  const end = dialect.stream(answer, send, index);
  const last = answer.at(-1)?.type;
  if (last === 'wait') return;
  if (last === 'drop') return void setTimeout(() => response.destroy(), 20);
  if (last !== 'truncate') end();
  response.end();
}

/** Splits a text into a few pieces, so that streams have several deltas. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/g) ?? [];
}
