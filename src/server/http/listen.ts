import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const maxAttempts = 20;
const maxPort = 65_535;

/** Listens on `port`, or on the next free one, and returns the actual port. Port 0 is any free one. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  const last = port === 0 ? 0 : Math.min(port + maxAttempts, maxPort);
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      server.listen({ host, port: candidate, exclusive: true });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error(`all ports from ${port} to ${last} on ${host} are in use; choose another one with --port`);
}
