import type { Server, ServerResponse } from 'node:http';

/** Makes a server stoppable: `stop` takes no new requests, lets those under way end for so long, then cuts them off. */
export function stoppable(server: Server, graceMs: number): { isStopping(): boolean; stop(): Promise<void> } {
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

  return { isStopping: () => stopping !== undefined, stop: () => (stopping ??= stop()) };
}
