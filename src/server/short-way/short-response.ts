import type { Socket } from 'node:net';
import type { HeaderList } from '../../surfaces/mcp/http/streams/event-stream.ts';
import type { HttpReply } from '../../surfaces/mcp/http/http-types.ts';

// Not imported: the names of the module as an ES module include those that load all of `fetch`.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/**
 * How long a connection is kept for the next request, as clients are told, so that they do not send one in the moment it ends. Longer
 * than balancers keep theirs, most a minute, for the same reason; and agents think between two calls.
 */
export const keptSeconds = 65;

const unfit = /[^\t -~]/;
const lineEnd = Buffer.from('\r\n');
const noBody: ReadonlySet<number> = new Set([204, 304]);

let second = 0;
let kept = '';

/** The headers of the connection, and the time, which is written once a second. */
function keptLines(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    const date = new Date(now * 1000).toUTCString();
    kept = `Date: ${date}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${keptSeconds}\r\n`;
  }
  return kept;
}

function linesOf(headers: HeaderList): string {
  let text = '';
  for (let index = 0; index < headers.length; index += 2) {
    const [name, value] = [headers[index] ?? '', headers[index + 1] ?? ''];
    if (unfit.test(value)) throw new Error(`the value of the header ${name} cannot be sent`);
    text += `${name}: ${value}\r\n`;
  }
  return text;
}

const known = new WeakMap<HeaderList, string>();

/** The same for a list that is used again and again. */
function knownLines(headers: HeaderList): string {
  let lines = known.get(headers);
  if (lines === undefined) known.set(headers, (lines = linesOf(headers)));
  return lines;
}

/** An answer on a connection that goes the short way. The whole of it leaves in one piece, where it is known at once. */
export class ShortResponse implements HttpReply {
  closed = false;
  headersSent = false;
  readonly #socket: Socket;
  readonly #over: (keepsConnection: boolean) => void;
  #listeners: (() => void)[] = [];
  /** Until something is sent, whose length may be known then. */
  #head: string | undefined;
  #status = 200;
  #isChunked = false;
  #isSized = false;
  #keepsConnection = true;

  constructor(socket: Socket, over: (keepsConnection: boolean) => void) {
    this.#socket = socket;
    this.#over = over;
  }

  get writableLength(): number {
    return this.#socket.writableLength;
  }

  /** The connection ends with this answer, unless its head is sent already. */
  endConnection(): void {
    this.#keepsConnection = false;
  }

  writeHead(status: number, headers: HeaderList): this {
    if (this.headersSent) throw new Error('the head of the answer was sent already');
    this.#head = linesOf(headers);
    this.#isSized = headers.includes('Content-Length');
    this.#status = status;
    this.headersSent = true;
    return this;
  }

  sendWhole(status: number, lists: readonly HeaderList[], text: string): void {
    if (this.headersSent) throw new Error('the head of the answer was sent already');
    let head = '';
    for (const list of lists) head += knownLines(list);
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
    // An empty one would end the answer.
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

  /** Nobody is to get it. */
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

  /** Once: it was sent, or its connection is gone. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const listener of this.#listeners) listener();
    this.#over(this.#keepsConnection);
  }

  /** The text of the head, once; with the length of all that follows, where that is known. */
  #takeHead(length?: number): string {
    const fields = this.#head;
    if (fields === undefined) return '';
    this.#head = undefined;
    const line = `HTTP/1.1 ${this.#status} ${STATUS_CODES[this.#status] ?? ''}\r\n`;
    const connection = this.#keepsConnection ? keptLines() : 'Connection: close\r\n';
    return `${line}${fields}${connection}${this.#bodyLine(length)}\r\n`;
  }

  #bodyLine(length: number | undefined): string {
    if (this.#isSized || noBody.has(this.#status)) return '';
    if (length !== undefined) return `Content-Length: ${length}\r\n`;
    this.#isChunked = true;
    return 'Transfer-Encoding: chunked\r\n';
  }
}
