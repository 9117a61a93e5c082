import type { Server, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { SlotMap } from '../core/async/slot-map.ts';
import type { ShortWay } from './short-way/short-way.ts';

interface StopOptions {
  /** How long requests under way may go on. */
  readonly graceMs: number;
  /** Aborted some time before, perhaps: from then on no connection is kept for another request. */
  readonly draining: AbortSignal;
  /** The other way into the server. */
  readonly shortWay: ShortWay;
}

/** A turn of the event loop below `maxQuietTurnMs` is idle; the wait for an idle turn ends after `maxQuietWaitMs`. */
const [maxQuietTurnMs, maxQuietWaitMs] = [0.5, 200];
/** The server stops listening after this time even if connections still arrive. */
const maxAcceptMs = 5000;

/**
 * Waits until every connection in the system's accept queue has been accepted: the system resets those that are left when the
 * process stops listening. Each turn of the event loop accepts one connection, and more may arrive during a long turn.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const began = performance.now();
  let accepted = 0;
  const count = (): void => void (accepted += 1);
  server.on('connection', count);
  // The current turn may already be past its accept phase.
  await turn();
  for (let isDone = false; !isDone;) {
    const [before, acceptedBefore] = [performance.now(), accepted];
    await turn();
    const now = performance.now();
    const isQuiet = now - before < maxQuietTurnMs || now - began >= maxQuietWaitMs;
    isDone = (accepted === acceptedBefore && isQuiet) || now - began >= maxAcceptMs;
  }
  server.off('connection', count);
}

/** How to stop a server: it takes no new requests, lets those under way end for so long, then cuts them off. */
export function stoppable(server: Server, { graceMs, draining, shortWay }: StopOptions): () => Promise<void> {
  const underWay = new SlotMap<ServerResponse>();
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
    await acceptWaiting(server);
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
