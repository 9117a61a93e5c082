import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { ShortConnection, type ShortWayEnds } from './short-connection.ts';

/** What is served the short way, and for how long clients are waited for. */
export type ShortWayOptions = Pick<ShortWayEnds, 'isFor' | 'serve' | 'limits'>;

const tendEveryMs = 1000;

/**
 * The short way into the server, for small requests that come in large numbers: read from their connection by ourselves, where they
 * can be read in one way only. Everything else is handed over to Node, connection and all. Node's way costs a request more
 * than everything that Signalbox does with it.
 */
export class ShortWay {
  readonly #connections = new Set<ShortConnection>();
  #timer: NodeJS.Timeout | undefined;
  #keeps = true;

  /** Stands before a server that does not listen yet. */
  constructor(server: Server, { isFor, serve, limits }: ShortWayOptions) {
    const longWay = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    const ends: ShortWayEnds = {
      isFor,
      serve,
      limits,
      keeps: () => this.#keeps,
      left: (connection) => this.#left(connection),
      handOver(socket, bytes) {
        // It must not flow while nobody listens, and must flow again then.
        socket.pause();
        socket.unshift(bytes);
        for (const listener of longWay) listener.call(server, socket);
        socket.resume();
      },
    };
    server.on('connection', (socket: Socket) => {
      this.#connections.add(new ShortConnection(socket, ends));
      this.#timer ??= setInterval(() => this.#tend(), tendEveryMs).unref();
    });
  }

  /** From now on connections end with the answer to a request. */
  drain(): void {
    this.#keeps = false;
    for (const connection of this.#connections) connection.drain();
  }

  /** Ends the connections that are kept for another request. */
  closeIdle(): void {
    for (const connection of this.#connections) connection.closeIfIdle();
  }

  /** Ends all of them. */
  closeAll(): void {
    for (const connection of this.#connections) connection.close();
  }

  #left(connection: ShortConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tend(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.tend(now);
  }
}
