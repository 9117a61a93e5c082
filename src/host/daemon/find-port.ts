import { createServer } from 'node:net';
import { usageFailure } from '../../cli/fail.ts';
import { messageOf } from '../../core/errors.ts';

const attempts = 50;

/** The port, or the next one that is free. Asked for before the box is opened: the built-in server tells the port. */
export async function findFreePort(host: string, wanted: number): Promise<number> {
  for (let port = wanted; port < wanted + attempts && port <= 65_535; port++) {
    const free = await tryPort(host, port);
    if (free !== undefined) return free;
  }
  throw usageFailure(`ports ${wanted} to ${wanted + attempts - 1} are all taken`, {
    next: 'name a free one with --port, or any with --port 0',
  });
}

function tryPort(host: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else
        reject(
          usageFailure(`cannot listen on ${host}:${port}: ${messageOf(error)}`, {
            next: hintFor(error.code),
            cause: error,
          }),
        );
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port));
    });
  });
}

function hintFor(code: string | undefined): string {
  return code === 'EACCES'
    ? 'use a port above 1023'
    : 'name an address of this machine with --host, as in --host 127.0.0.1';
}
