import type { Server, ServerResponse } from 'node:http';

/** How to stop a server: it takes no new requests, lets those under way end for so long, then cuts them off. */
export function stoppable(server: Server, graceMs: number): () => Promise<void> {
  const underWay = new Set<ServerResponse>();
  let stopping: Promise<void> | undefined;
  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
    if (stopping !== undefined) response.shouldKeepAlive = false;
  });

  function stop(): Promise<void> {
    return new Promise((resolve) => {
      const grace = setTimeout(() => server.closeAllConnections(), graceMs);
      server.close(() => {
        clearTimeout(grace);
        resolve();
      });
      // Connections that still carry a request would otherwise stay open after the answer, waiting for the next one.
      for (const response of underWay) response.shouldKeepAlive = false;
    });
  }

  return () => (stopping ??= stop());
}
