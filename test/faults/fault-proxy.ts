import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';

/** The faults that the proxy can inject. */
export const faults = ['hang', 'swallow', 'reset', 'trickle', 'half-close', 'garbage'] as const;
export type Fault = (typeof faults)[number];

/** A proxy to a server that can inject faults at any time. */
export interface FaultProxy {
  readonly url: string;
  /** Sets the fault, also for open connections. Without a fault, the proxy forwards everything. */
  set(fault: Fault | undefined): void;
  /** Returns the number of injected faults. */
  readonly injected: () => number;
}

/**
 * Starts a TCP proxy in front of a real server. `hang` withholds responses, `swallow` also requests; `reset` breaks the
 * connection when a response arrives; `trickle` forwards a byte now and then; `half-close` forwards half of a response and
 * closes; `garbage` responds with random bytes. Closed with the test.
 */
export async function startFaultProxy(test: TestContext, target: string, random: () => number): Promise<FaultProxy> {
  const { hostname, port: targetPort, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let fault: Fault | undefined;
  let injected = 0;

  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };

  const inject = (kind: Fault, client: Socket, response: Buffer): void => {
    injected += 1;
    switch (kind) {
      case 'hang':
      case 'swallow':
        return;
      case 'reset':
        client.resetAndDestroy();
        return;
      case 'half-close':
        client.end(response.subarray(0, Math.ceil(response.length / 2)));
        return;
      case 'garbage':
        client.write(Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256))));
        return;
      case 'trickle':
        void trickle(client, response);
    }
  };

  const server = createServer((client) => {
    const upstream = connect(Number(targetPort), hostname);
    track(client).on('data', (chunk) => {
      if (fault === 'swallow') inject(fault, client, chunk);
      else upstream.write(chunk);
    });
    track(upstream).on('data', (chunk) => {
      if (fault === undefined) client.write(chunk);
      else inject(fault, client, chunk);
    });
    client.once('close', () => upstream.destroy());
    upstream.once('close', () => fault === undefined && client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    set: (next) => void (fault = next),
    injected: () => injected,
  };
}

async function trickle(client: Socket, response: Buffer): Promise<void> {
  for (const byte of response) {
    if (client.destroyed) return;
    client.write(Buffer.of(byte));
    await new Promise<void>((resolve) => setTimeout(resolve, 40));
  }
}
