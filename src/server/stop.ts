import type { Server, ServerResponse } from 'node:http';
import { Slots } from '../model/slots.ts';

interface StopOptions {
  /** How long requests under way may go on. */
  readonly graceMs: number;
  /** Aborted some time before, perhaps: from then on no connection is kept for another request. */
  readonly draining: AbortSignal;
}

/** How to stop a server: it takes no new requests, lets those under way end for so long, then cuts them off. */
export function stoppable(server: Server, { graceMs, draining }: StopOptions): () => Promise<void> {
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
  });

  function stop(): Promise<void> {
    return new Promise((resolve) => {
      const grace = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(grace);
        resolve();
      });
    });
  }

  return () => (stopping ??= stop());
}
