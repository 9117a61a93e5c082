import type { Socket } from 'node:net';
import type { HttpRequestHead, HttpResponse } from '../../../surfaces/mcp/http/http-types.ts';
import { type RequestHead, parseRequestHead } from './fast-request-head.ts';
import { FastResponse } from './fast-response.ts';

/** Timeouts and size limits of fast connections. */
interface FastHttpLimits {
  /** From the opening of a connection to its first request. */
  readonly headersMs: number;
  /** For a complete request. */
  readonly requestMs: number;
  /** For the next request on the same connection. */
  readonly keepAliveMs: number;
  /** The largest body of any request. */
  readonly bodyBytes: number;
}

/** The callbacks of a fast connection. */
export interface FastConnectionHandlers {
  /** Returns whether fast HTTP serves this URL. */
  readonly isHandled: (url: string) => boolean;
  serve(request: HttpRequestHead, response: HttpResponse, body: Buffer): void;
  /** Lets Node's HTTP server serve the connection from now on. `bytes` were read already. */
  fallBackToNode(socket: Socket, bytes: Buffer): void;
  /** Called once, when the connection is closed or falls back to Node. */
  onDetached(connection: FastConnection): void;
  /** Returns whether connections stay open for the next request. */
  shouldKeepAlive(): boolean;
  readonly limits: FastHttpLimits;
}

/** Limits of pipelined requests that wait for the current response. */
const maxUnreadBytes = 128 * 1024;
const maxUnreadChunks = 64;
const emptyBuffer = Buffer.alloc(0);
const requestTimeoutResponse = Buffer.from('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');

/**
 * A connection that is parsed without Node's HTTP server. It serves one complete request at a time, and falls back to Node for good
 * with the first request that it cannot parse or serve.
 */
export class FastConnection {
  readonly #socket: Socket;
  readonly #handlers: FastConnectionHandlers;
  #head: RequestHead | undefined;
  #response: FastResponse | undefined;
  /** Chunks that were received and not parsed. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** The size of the request that is being received; 0 while none is. */
  #neededBytes = 0;
  /** The time at which the last response ended, or the first bytes of the next request arrived. */
  #idleSince = performance.now();

  constructor(socket: Socket, handlers: FastConnectionHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onError);
  }

  /** Closes the connection after the current response. */
  drain(): void {
    this.#response?.endConnection();
  }

  /** Closes the connection between two requests. A new connection stays open, because its first request is expected. */
  closeIfIdle(): void {
    if (this.#response === undefined && this.#unreadBytes === 0 && this.#head !== undefined) this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Closes the connection when a timeout has passed. */
  checkTimeout(now: number): void {
    if (this.#response !== undefined) return;
    const { headersMs, requestMs, keepAliveMs } = this.#handlers.limits;
    const waited = now - this.#idleSince;
    if (this.#neededBytes > 0) {
      if (waited > requestMs) this.#socket.end(requestTimeoutResponse, () => this.#socket.destroy());
    } else if (waited > (this.#head === undefined ? headersMs : keepAliveMs)) this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#response === undefined && this.#unreadBytes === 0) {
      this.#parse(chunk);
      return;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    // A chunk has an overhead that is larger than a few bytes of content.
    if (this.#unread.length > maxUnreadChunks) this.#unread = [Buffer.concat(this.#unread)];
    if (this.#response !== undefined) {
      if (this.#unreadBytes > maxUnreadBytes) this.#socket.pause();
    } else if (this.#unreadBytes >= this.#neededBytes) this.#parse(this.#takeUnread());
  };

  readonly #onEnd = (): void => {
    this.#socket.end();
  };

  readonly #onError = (): void => undefined;

  readonly #onClose = (): void => {
    this.#handlers.onDetached(this);
    this.#response?.close();
  };

  #takeUnread(): Buffer {
    const [only = emptyBuffer] = this.#unread;
    const bytes = this.#unread.length === 1 ? only : Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#neededBytes = 0;
    return bytes;
  }

  #parse(bytes: Buffer): void {
    const head = parseRequestHead(bytes, this.#head);
    // The head of the last request was checked already.
    if (head === undefined || (head !== this.#head && !this.#canServe(head))) {
      this.#fallBackToNode(bytes);
      return;
    }
    const end = head.end + head.bodyBytes;
    if (bytes.length !== end) this.#setUnread(bytes.length < end ? bytes : bytes.subarray(end));
    if (bytes.length < end) {
      this.#neededBytes = end;
      this.#idleSince = performance.now();
      return;
    }
    this.#head = head;
    const { url, headers, rawHeaders } = head;
    const response = new FastResponse(this.#socket, this.#onResponseEnd);
    if (!this.#handlers.shouldKeepAlive()) response.endConnection();
    this.#response = response;
    const request = { method: 'POST', url, headers, rawHeaders, socket: this.#socket };
    this.#handlers.serve(request, response, bytes.subarray(head.end, end));
  }

  #canServe({ bodyBytes, url }: RequestHead): boolean {
    const { isHandled, limits } = this.#handlers;
    return bodyBytes <= limits.bodyBytes && isHandled(url);
  }

  #setUnread(bytes: Buffer): void {
    this.#unread = [bytes];
    this.#unreadBytes = bytes.length;
  }

  readonly #onResponseEnd = (isKeptAlive: boolean): void => {
    this.#response = undefined;
    this.#idleSince = performance.now();
    if (!isKeptAlive) this.#socket.end();
    else if (this.#socket.writableNeedDrain) this.#socket.pause().once('drain', this.#resume);
    else if (this.#unreadBytes > 0) process.nextTick(this.#resume);
  };

  /** Continues with requests that were pipelined. */
  readonly #resume = (): void => {
    if (this.#socket.destroyed) return;
    this.#socket.resume();
    if (this.#unreadBytes > 0 && this.#response === undefined) this.#parse(this.#takeUnread());
  };

  #fallBackToNode(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', this.#onError);
    this.#handlers.onDetached(this);
    this.#handlers.fallBackToNode(socket, bytes);
  }
}
