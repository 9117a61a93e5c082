import { type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A simple load balancer: every request goes to the next server. */
export interface RoundRobinProxy {
  readonly url: string;
  /** The host and port for clients. */
  readonly host: string;
  /** The URLs of the servers, in round-robin order. */
  targets: readonly string[];
  /** Responses that were cut off after a server had accepted the request. */
  readonly cut: readonly string[];
  close(): Promise<void>;
}

/** The header with the server that responded. */
export const answeredBy = 'x-answered-by';

const maxWaitMs = 20_000;

/**
 * Starts a proxy. A request that a server did not accept, because it does not listen or responds with 503, goes to the next one.
 */
export async function startRoundRobinProxy(): Promise<RoundRobinProxy> {
  const cut: string[] = [];
  let turn = 0;
  const server = createServer((incoming, response) => {
    void bodyOf(incoming).then(
      (body) => forward(incoming, body, response, Date.now() + maxWaitMs),
      () => response.destroy(),
    );
  });

  function forward(incoming: IncomingMessage, body: Buffer, response: ServerResponse, until: number): void {
    const { targets } = proxy;
    const target = targets[(turn += 1) % targets.length] ?? '';
    const retry = (): void =>
      Date.now() < until
        ? void setTimeout(() => forward(incoming, body, response, until), 10)
        : void response.writeHead(502).end('no server accepts the request');
    const address = new URL(incoming.url ?? '/', target);
    const outgoing = request(address, {
      method: incoming.method ?? 'GET',
      headers: { ...incoming.headers, connection: 'close' },
      agent: false,
    });
    outgoing.on('response', (answer) => {
      if (answer.statusCode === 503) {
        answer.resume();
        return retry();
      }
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, [answeredBy]: target });
      response.flushHeaders();
      answer.on('error', () => {
        cut.push(`${incoming.method} ${incoming.url}: cut off`);
        response.destroy();
      });
      answer.pipe(response);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (response.destroyed) return;
      // The request was not sent, because the server no longer listens.
      if (error.syscall === 'connect') return retry();
      cut.push(`${incoming.method} ${incoming.url}: ${error.message}`);
      response.destroy();
    });
    response.on('close', () => outgoing.destroy());
    outgoing.end(body);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const proxy: RoundRobinProxy = {
    url: `http://${host}`,
    host,
    targets: [],
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
