import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';

/** Lets processes go on a few at a time: whoever connects is told when it is its turn, which lasts until it hangs up. */
export async function startTurns(atOnce: number): Promise<{ readonly port: number; close(): Promise<void> }> {
  const waiting: Socket[] = [];
  const having = new Set<Socket>();
  const next = (): void => {
    while (having.size < atOnce) {
      const socket = waiting.shift();
      if (socket === undefined) return;
      having.add(socket);
      socket.write('go');
    }
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      having.delete(socket);
      if (waiting.includes(socket)) waiting.splice(waiting.indexOf(socket), 1);
      next();
    });
    waiting.push(socket);
    next();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of [...waiting, ...having]) socket.destroy();
      }),
  };
}
