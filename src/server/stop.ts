import type { Server, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { Slots } from '../model/slots.ts';
import type { ShortWay } from './short-way/short-way.ts';

interface StopOptions {
  /** How long requests under way may go on. */
  readonly graceMs: number;
  /** Aborted some time before, perhaps: from then on no connection is kept for another request. */
  readonly draining: AbortSignal;
  /** The other way into the server. */
  readonly shortWay: ShortWay;
}

/** How to stop a server: it takes no new requests, lets those under way end for so long, then cuts them off. */
export function stoppable(server: Server, { graceMs, draining, shortWay }: StopOptions): () => Promise<void> {
  const underWay = new Slots<ServerResponse>();
  let stopping: Promise<void> | undefined;
  server.on('request', (_request, response: ServerResponse) => {
    const place = underWay.add(response);
    response.on('close', () => underWay.remove(place));
    if (draining.aborted) response.shouldKeepAlive = false;
  });
  draining.addEventListener('abort', () => {
    // Connections that still carry a request would otherwise stay open after the answer, waiting for the next one.
    for (const response of underWay) response.shouldKeepAlive = false;
    shortWay.drain();
  });

  async function stop(): Promise<void> {
    // Whoever has connected by now is let in, and what they have sent is read: what still waits when nobody listens any more is reset.
    await turn();
    await turn();
    await new Promise<void>((resolve) => {
      const cutOff = (): void => {
        server.closeAllConnections();
        shortWay.closeAll();
      };
      const grace = setTimeout(cutOff, graceMs);
      server.close(() => {
        clearTimeout(grace);
        resolve();
      });
      shortWay.closeIdle();
    });
  }

  return () => (stopping ??= stop());
}
