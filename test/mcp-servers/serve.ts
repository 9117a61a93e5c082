import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';

/** An HTTP server on the loopback address. */
interface RunningServer {
  readonly origin: string;
  readonly server: Server;
  close(): Promise<void>;
}

/** Serves requests on the loopback address. */
export async function serve(
  answer: (request: Request) => Response | Promise<Response>,
  port = 0,
): Promise<RunningServer> {
  const listener = getRequestListener(answer);
  const server = createServer((request, response) => void listener(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
