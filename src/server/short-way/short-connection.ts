import type { Socket } from 'node:net';
import type { HttpAsk, HttpReply } from '../../surfaces/mcp/http/http-types.ts';
import { type RequestHead, readHead } from './request-head.ts';
import { ShortResponse } from './short-response.ts';

/** How long clients are waited for, and how much they may send. */
export interface ShortWayLimits {
  /** From when a connection was opened to its first request. */
  readonly headersMs: number;
  /** For the whole of a request. */
  readonly requestMs: number;
  /** For another request on the same connection. */
  readonly keptMs: number;
  /** The largest body, also of what goes another way. */
  readonly bodyBytes: number;
}

/** Where the requests of a connection go. */
export interface ShortWayEnds {
  /** Whether requests for that address go the short way. */
  readonly isFor: (url: string) => boolean;
  serve(request: HttpAsk, response: HttpReply, body: Buffer): void;
  /** Takes the connection from now on, beginning with those bytes. */
  handOver(socket: Socket, bytes: Buffer): void;
  /** Told when a connection is no more, or handed over. */
  left(connection: ShortConnection): void;
  /** Whether connections are kept for another request. */
  keeps(): boolean;
  readonly limits: ShortWayLimits;
}

/** Of requests that come before the one ahead of them is answered. */
const mostUnread = 128 * 1024;
const mostPieces = 64;
const none = Buffer.alloc(0);
const tooSlow = Buffer.from('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');

/**
 * A connection of a client: one request at a time, each read whole. With the first that cannot be taken the connection is handed
 * over, and stays where it is then.
 */
export class ShortConnection {
  readonly #socket: Socket;
  readonly #ends: ShortWayEnds;
  #head: RequestHead | undefined;
  #response: ShortResponse | undefined;
  /** What came and was not looked at. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** How much of it there must be. */
  #neededBytes = 0;
  /** When the last request was answered, or the first byte of the next one came. */
  #since = performance.now();

  constructor(socket: Socket, ends: ShortWayEnds) {
    this.#socket = socket;
    this.#ends = ends;
    socket.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose).on('error', this.#onError);
  }

  /** Ends it with the answer that is waited for. */
  drain(): void {
    this.#response?.endConnection();
  }

  /** Ends it when its last request was answered. Where none has come yet, one is on its way. */
  closeIfIdle(): void {
    if (this.#response === undefined && this.#unreadBytes === 0 && this.#head !== undefined) this.close();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Ends it if its client takes too long. */
  tend(now: number): void {
    if (this.#response !== undefined) return;
    const { headersMs, requestMs, keptMs } = this.#ends.limits;
    const waited = now - this.#since;
    if (this.#neededBytes > 0) {
      if (waited > requestMs) this.#socket.end(tooSlow, () => this.#socket.destroy());
    } else if (waited > (this.#head === undefined ? headersMs : keptMs)) this.#socket.destroy();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#response === undefined && this.#unreadBytes === 0) {
      this.#look(chunk);
      return;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    // Small pieces take more room than what is in them.
    if (this.#unread.length > mostPieces) this.#unread = [Buffer.concat(this.#unread)];
    if (this.#response !== undefined) {
      if (this.#unreadBytes > mostUnread) this.#socket.pause();
    } else if (this.#unreadBytes >= this.#neededBytes) this.#look(this.#takeUnread());
  };

  readonly #onEnd = (): void => {
    this.#socket.end();
  };

  readonly #onError = (): void => undefined;

  readonly #onClose = (): void => {
    this.#ends.left(this);
    this.#response?.close();
  };

  #takeUnread(): Buffer {
    const [only = none] = this.#unread;
    const bytes = this.#unread.length === 1 ? only : Buffer.concat(this.#unread);
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#neededBytes = 0;
    return bytes;
  }

  #look(bytes: Buffer): void {
    const head = readHead(bytes, this.#head);
    // One that is the same as the last was found to be good then.
    if (head === undefined || (head !== this.#head && !this.#takes(head))) {
      this.#handOver(bytes);
      return;
    }
    const end = head.end + head.bodyBytes;
    if (bytes.length !== end) this.#keep(bytes.length < end ? bytes : bytes.subarray(end));
    if (bytes.length < end) {
      this.#neededBytes = end;
      this.#since = performance.now();
      return;
    }
    this.#head = head;
    const { url, headers, rawHeaders } = head;
    const response = new ShortResponse(this.#socket, this.#answered);
    if (!this.#ends.keeps()) response.endConnection();
    this.#response = response;
    const request = { method: 'POST', url, headers, rawHeaders, socket: this.#socket };
    this.#ends.serve(request, response, bytes.subarray(head.end, end));
  }

  #takes({ bodyBytes, url }: RequestHead): boolean {
    const { isFor, limits } = this.#ends;
    return bodyBytes <= limits.bodyBytes && isFor(url);
  }

  #keep(bytes: Buffer): void {
    this.#unread = [bytes];
    this.#unreadBytes = bytes.length;
  }

  readonly #answered = (keepsConnection: boolean): void => {
    this.#response = undefined;
    this.#since = performance.now();
    if (!keepsConnection) this.#socket.end();
    else if (this.#socket.writableNeedDrain) this.#socket.pause().once('drain', this.#goOn);
    else if (this.#unreadBytes > 0) process.nextTick(this.#goOn);
  };

  /** With what came meanwhile. */
  readonly #goOn = (): void => {
    if (this.#socket.destroyed) return;
    this.#socket.resume();
    if (this.#unreadBytes > 0 && this.#response === undefined) this.#look(this.#takeUnread());
  };

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose).off('error', this.#onError);
    this.#ends.left(this);
    this.#ends.handOver(socket, bytes);
  }
}
