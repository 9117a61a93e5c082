import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const attempts = 20;
const lastPort = 65_535;

/** Listens on the port, or on the next free one when it is taken; tells which it got. Port 0 is any free one. */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  const last = port === 0 ? 0 : Math.min(port + attempts, lastPort);
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      server.listen({ host, port: candidate, exclusive: true });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error(`the ports ${port} to ${last} of ${host} are all taken; choose another with --port`);
}
