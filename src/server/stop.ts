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

/** The longest that a turn of the event loop takes in which next to nothing happens, and how long is waited for one. */
const [quietMs, patienceMs] = [0.5, 200];

/**
 * Whoever has connected is let in by the turn that ends now, and what they have sent is read. What the system has accepted and the process
 * has not when it stops listening is reset; in a long turn others may have come meanwhile.
 */
async function quietTurn(): Promise<void> {
  const until = performance.now() + patienceMs;
  let before: number;
  // The first one has begun already.
  let now = Number.NEGATIVE_INFINITY;
  do {
    before = now;
    await turn();
    now = performance.now();
  } while (now - before >= quietMs && now < until);
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
    await quietTurn();
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
