import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { FastConnection, type FastConnectionHandlers } from './fast-connection.ts';

/** Options of `FastHttp`. */
export type FastHttpOptions = Pick<FastConnectionHandlers, 'isHandled' | 'serve' | 'limits'>;

const timeoutCheckMs = 1000;

/**
 * The fast path for small, frequent requests: it parses them from the socket itself, if their framing is unambiguous. It leaves every
 * other connection to Node's HTTP server, which costs a small request more than everything that Signalbox does with it.
 */
export class FastHttp {
  readonly #connections = new Set<FastConnection>();
  #timer: NodeJS.Timeout | undefined;
  #isKeepAlive = true;

  /** Replaces the connection listeners of a server that does not listen yet. */
  constructor(server: Server, { isHandled, serve, limits }: FastHttpOptions) {
    const nodeListeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
    server.removeAllListeners('connection');
    const handlers: FastConnectionHandlers = {
      isHandled,
      serve,
      limits,
      shouldKeepAlive: () => this.#isKeepAlive,
      onDetached: (connection) => this.#remove(connection),
      fallBackToNode(socket, bytes) {
        // Data must not flow before Node's listeners are attached.
        socket.pause();
        socket.unshift(bytes);
        for (const listener of nodeListeners) listener.call(server, socket);
        socket.resume();
      },
    };
    server.on('connection', (socket: Socket) => {
      this.#connections.add(new FastConnection(socket, handlers));
      this.#timer ??= setInterval(() => this.#checkTimeouts(), timeoutCheckMs).unref();
    });
  }

  /** From now on, every connection closes after its current response. */
  drain(): void {
    this.#isKeepAlive = false;
    for (const connection of this.#connections) connection.drain();
  }

  /** Closes the connections that wait for another request. */
  closeIdle(): void {
    for (const connection of this.#connections) connection.closeIfIdle();
  }

  /** Closes all connections. */
  closeAll(): void {
    for (const connection of this.#connections) connection.close();
  }

  #remove(connection: FastConnection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #checkTimeouts(): void {
    const now = performance.now();
    for (const connection of this.#connections) connection.checkTimeout(now);
  }
}
