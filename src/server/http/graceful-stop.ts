import type { Server, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SlotMap } from '../../core/async/slot-map.ts';
import type { FastHttp } from './fast-http/fast-http.ts';

interface GracefulStopOptions {
  /** The time for which running requests may continue. */
  readonly graceMs: number;
  /** Aborted before the stop: from then on, connections close after their response. */
  readonly draining: AbortSignal;
  /** The fast path, whose connections the server does not know. */
  readonly fastHttp: FastHttp;
  /** Ends the calls that still run after the grace period, so that their callers get a response. */
  endCalls(): void;
}

/** The time for responses of calls that were ended after the grace period. */
const maxResponseMs = 3000;
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
  await nextTurn();
  for (let isDone = false; !isDone;) {
    const [before, acceptedBefore] = [performance.now(), accepted];
    await nextTurn();
    const now = performance.now();
    const isQuiet = now - before < maxQuietTurnMs || now - began >= maxQuietWaitMs;
    isDone = (accepted === acceptedBefore && isQuiet) || now - began >= maxAcceptMs;
  }
  server.off('connection', count);
}

/** Returns a function that stops a server: it accepts no new requests, lets running ones end within `graceMs`, then ends their calls and closes their connections. */
export function createGracefulStop(
  server: Server,
  { graceMs, draining, fastHttp, endCalls }: GracefulStopOptions,
): () => Promise<void> {
  const running = new SlotMap<ServerResponse>();
  let stopping: Promise<void> | undefined;
  server.on('request', (_request, response: ServerResponse) => {
    const slot = running.add(response);
    response.on('close', () => running.remove(slot));
    if (draining.aborted) response.shouldKeepAlive = false;
  });
  draining.addEventListener('abort', () => {
    // Without this, connections with a running request would stay open after the response.
    for (const response of running) response.shouldKeepAlive = false;
    fastHttp.drain();
  });

  async function stop(): Promise<void> {
    await acceptWaiting(server);
    await new Promise<void>((resolve) => {
      const closeConnections = (): void => {
        server.closeAllConnections();
        fastHttp.closeAll();
      };
      let grace = setTimeout(() => {
        endCalls();
        grace = setTimeout(closeConnections, maxResponseMs);
      }, graceMs);
      server.close(() => {
        clearTimeout(grace);
        resolve();
      });
      fastHttp.closeIdle();
    });
  }

  return () => (stopping ??= stop());
}
