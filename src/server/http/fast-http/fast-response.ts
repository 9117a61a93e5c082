import type { Socket } from 'node:net';
import type { HeaderList } from '../../../surfaces/mcp/http/streams/event-stream.ts';
import type { HttpResponse } from '../../../surfaces/mcp/http/http-types.ts';

// Not imported: the names of the module as an ES module include those that load all of `fetch`.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/**
 * The keep-alive timeout that responses announce. It is longer than that of load balancers, usually 60 s, so that they never reuse a
 * connection that the server is closing.
 */
export const keepAliveSeconds = 65;

const forbiddenCharacter = /[^\t -~]/;
const lineEnd = Buffer.from('\r\n');
const statusesWithoutBody: ReadonlySet<number> = new Set([204, 304]);

let cachedSecond = 0;
let cachedLines = '';

/** Returns the `Date` and keep-alive headers, which are formatted once a second. */
function keepAliveLines(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== cachedSecond) {
    cachedSecond = now;
    const date = new Date(now * 1000).toUTCString();
    cachedLines = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`;
  }
  return cachedLines;
}

function toHeaderLines(headers: HeaderList): string {
  let text = '';
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] ?? '', headers[index + 1] ?? ''];
    if (forbiddenCharacter.test(value)) throw new Error(`the value of the header ${name} cannot be sent`);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

const linesByList = new WeakMap<HeaderList, string>();

/** Returns the lines of a constant list, formatted once. */
function cachedHeaderLines(headers: HeaderList): string {
  let lines = linesByList.get(headers);
  if (lines === undefined) linesByList.set(headers, (lines = toHeaderLines(headers)));
  return lines;
}

/** A response on a fast connection. A response that is known at once is written with one system call. */
export class FastResponse implements HttpResponse {
  closed = false;
  headersSent = false;
  readonly #socket: Socket;
  readonly #onEnd: (isKeptAlive: boolean) => void;
  #listeners: (() => void)[] = [];
  /** The header lines until they are sent with the first part of the body. */
  #head: string | undefined;
  #status = 200;
  #isChunked = false;
  #isSized = false;
  #isKeptAlive = true;

  constructor(socket: Socket, onEnd: (isKeptAlive: boolean) => void) {
    this.#socket = socket;
    this.#onEnd = onEnd;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  /** Closes the connection after this response, unless its head was sent already. */
  endConnection(): void {
    this.#isKeptAlive = false;
  }

  writeHead(status: number, headers: HeaderList): this {
    if (this.headersSent) throw new Error('the head of the response was sent already');
    this.#head = toHeaderLines(headers);
    this.#isSized = headers.includes('Content-Length');
    this.#status = status;
    this.headersSent = true;
    return this;
  }

  sendWhole(status: number, lists: readonly HeaderList[], text: string): void {
    if (this.headersSent) throw new Error('the head of the response was sent already');
    let head = '';
    for (const list of lists) head += cachedHeaderLines(list);
    this.#head = head;
    this.#status = status;
    this.headersSent = true;
    this.end(text);
  }

  flushHeaders(): void {
    const head = this.#takeHead();
    if (head !== '') this.#socket.write(head, 'latin1');
  }

  cork(): void {
    this.#socket.cork();
  }

  write(part: string | Uint8Array): boolean {
    if (this.closed) return false;
    this.flushHeaders();
    if (!this.#isChunked) return this.#socket.write(part);
    const size = typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
    // An empty chunk would end the response.
    if (size === 0) return true;
    const begin = `${size.toString(16)}\r\n`;
    if (typeof part === 'string') return this.#socket.write(`${begin}${part}\r\n`);
    return this.#socket.write(Buffer.concat([Buffer.from(begin), part, lineEnd]));
  }

  end(last?: string | Uint8Array | (() => void), encoding: BufferEncoding = 'utf8'): void {
    if (this.closed) return;
    const socket = this.#socket;
    if (typeof last === 'string' && this.#head !== undefined) {
      const size = encoding === 'latin1' ? last.length : Buffer.byteLength(last);
      socket.write(this.#takeHead(size) + last, size === last.length ? 'latin1' : 'utf8');
    } else if (typeof last === 'function' || last === undefined) {
      const tail = this.#head === undefined ? (this.#isChunked ? '0\r\n\r\n' : '') : this.#takeHead(0);
      if (tail !== '' || last !== undefined) socket.write(tail, 'latin1', last);
    } else {
      this.write(last);
      if (this.#isChunked) socket.write('0\r\n\r\n', 'latin1');
    }
    while (socket.writableCorked > 0) socket.uncork();
    this.close();
  }

  /** Aborts the response and its connection. */
  destroy(): void {
    this.#socket.destroy();
  }

  on(_event: 'close', listener: () => void): this {
    this.#listeners.push(listener);
    return this;
  }

  once(event: 'close', listener: () => void): this {
    return this.on(event, listener);
  }

  /** Marks the response as ended: it was sent, or its connection was closed. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const listener of this.#listeners) listener();
    this.#onEnd(this.#isKeptAlive);
  }

  /** Returns the text of the head the first time, and an empty string afterwards. `length` is the length of the body, if it is known. */
  #takeHead(length?: number): string {
    const fields = this.#head;
    if (fields === undefined) return '';
    this.#head = undefined;
    const line = `HTTP/1.1 ${this.#status} ${STATUS_CODES[this.#status] ?? ''}\r\n`;
    const connection = this.#isKeptAlive ? keepAliveLines() : 'Connection: close\r\n';
    return `${line}${fields}${connection}${this.#bodyLine(length)}\r\n`;
  }

  #bodyLine(length: number | undefined): string {
    if (this.#isSized || statusesWithoutBody.has(this.#status)) return '';
    if (length !== undefined) return `Content-Length: ${length}\r\n`;
    this.#isChunked = true;
    return 'Transfer-Encoding: chunked\r\n';
  }
}
