import { createServer } from 'node:net';

import { messageOf } from '../../core/errors.ts';
import { HostError } from '../host-error.ts';

const maxAttempts = 50;

/** Returns the port, or with `mayMove` the next free one when it is taken. Called before the box is opened, because the built-in server reports the port. */
export async function findFreePort(host: string, wanted: number, mayMove: boolean): Promise<number> {
  if (!mayMove) {
    const free = await tryPort(host, wanted);
    if (free !== undefined) return free;
    throw new HostError('usage', `port ${wanted} on ${host} is taken by another program`, {
      next: 'signalbox status shows running servers; name a free port with --port, or any with --port 0',
    });
  }
  for (let port = wanted; port < wanted + maxAttempts && port <= 65_535; port++) {
    const free = await tryPort(host, port);
    if (free !== undefined) return free;
  }
  throw new HostError('usage', `ports ${wanted} to ${wanted + maxAttempts - 1} are all taken`, {
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
          new HostError('usage', `cannot listen on ${host}:${port}: ${messageOf(error)}`, {
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
