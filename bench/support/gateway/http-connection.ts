import { type Socket, connect } from 'node:net';

/** What came for a request. */
export interface HttpAnswer {
  readonly status: number;
  /** Status line and headers, in lower case. */
  readonly head: string;
  readonly body: Buffer;
}

interface Head {
  readonly text: string;
  readonly end: number;
}

const none = Buffer.alloc(0);

/**
 * One connection that stays open, for one request at a time. On a bare socket: `node:http` would take more of the machine than
 * some of the gateways that are measured with it.
 */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #onPart: ((part: Buffer) => void) | undefined;
  #received: Buffer = none;
  #later: Buffer[] = [];
  /** How many bytes the answer still lacks, where that is known. */
  #missing = 0;
  #head: Head | undefined;
  #waiting: PromiseWithResolvers<HttpAnswer> | undefined;
  #lost: Error | undefined;

  /** `onPart`: told of the parts of an answer that does not end, as they come. */
  constructor(port: number, onPart?: (part: Buffer) => void) {
    this.#onPart = onPart;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#lose(error));
    this.#socket.on('close', () => this.#lose(new Error('the gateway closed the connection')));
  }

  /** Servers close what is not used for some seconds. */
  get isOpen(): boolean {
    return this.#lost === undefined;
  }

  /** Sends a whole request, as text. */
  send(request: string): Promise<HttpAnswer> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #lose(error: Error): void {
    this.#lost ??= error;
    this.#waiting?.reject(this.#lost);
  }

  #take(chunk: Buffer): void {
    // What is large is put together once, not with every piece that comes.
    this.#later.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    const pieces = this.#received.length === 0 ? this.#later : [this.#received, ...this.#later];
    this.#later = [];
    const [only = none] = pieces;
    this.#received = pieces.length === 1 ? only : Buffer.concat(pieces);
    this.#head ??= headOf(this.#received);
    if (this.#head === undefined) return;
    this.#missing = missingOf(this.#received, this.#head);
    if (this.#missing > 0) return;
    if (this.#onPart !== undefined) this.#takeParts(this.#head, this.#onPart);
    else {
      const body = bodyOf(this.#received, this.#head);
      if (body !== undefined) this.#answer(this.#head, body);
    }
  }

  #answer({ text }: Head, body: Buffer): void {
    const waiting = this.#waiting;
    this.#received = none;
    this.#head = undefined;
    this.#waiting = undefined;
    waiting?.resolve({ status: Number(text.slice(9, 12)), head: text, body });
  }

  #takeParts(head: Head, onPart: (part: Buffer) => void): void {
    if (this.#waiting !== undefined) {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting.resolve({ status: Number(head.text.slice(9, 12)), head: head.text, body: none });
      this.#received = this.#received.subarray(head.end);
    }
    for (let part = partOf(this.#received, 0); part !== undefined; part = partOf(this.#received, 0)) {
      this.#received = this.#received.subarray(part.next);
      onPart(part.bytes);
    }
  }
}

function headOf(received: Buffer): Head | undefined {
  const end = received.indexOf('\r\n\r\n');
  return end === -1 ? undefined : { text: received.toString('latin1', 0, end).toLowerCase(), end: end + 4 };
}

function missingOf(received: Buffer, { text, end }: Head): number {
  const length = lengthIn(text);
  return length === undefined ? 0 : end + length - received.length;
}

function lengthIn(head: string): number | undefined {
  const length = /\ncontent-length: *(\d+)/.exec(head)?.[1];
  return length === undefined ? undefined : Number(length);
}

/** The whole body, once it is there. */
function bodyOf(received: Buffer, { text, end }: Head): Buffer | undefined {
  const length = lengthIn(text);
  if (length !== undefined) {
    const whole = end + length;
    return received.length < whole ? undefined : received.subarray(end, whole);
  }
  if (!text.includes('\ntransfer-encoding: chunked')) return none;
  const parts: Buffer[] = [];
  for (let at = end; ;) {
    const part = partOf(received, at);
    if (part === undefined) return undefined;
    if (part.bytes.length === 0) return parts.length === 1 ? parts[0] : Buffer.concat(parts);
    parts.push(part.bytes);
    at = part.next;
  }
}

/** The chunk of a chunked body that begins there, once it is there. */
function partOf(received: Buffer, at: number): { readonly bytes: Buffer; readonly next: number } | undefined {
  const lineEnd = received.indexOf('\r\n', at);
  if (lineEnd === -1) return undefined;
  const from = lineEnd + 2;
  const to = from + Number.parseInt(received.toString('latin1', at, lineEnd), 16);
  return received.length < to + 2 ? undefined : { bytes: received.subarray(from, to), next: to + 2 };
}
