import { type Socket, connect } from 'node:net';

/** An HTTP response. */
export interface HttpResponse {
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
 * A keep-alive connection for one request at a time. Uses a plain socket, because `node:http` would use more processor time than
 * some of the measured gateways.
 */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #onPart: ((part: Buffer) => void) | undefined;
  #received: Buffer = none;
  #later: Buffer[] = [];
  /** The number of missing bytes of the response, if known. */
  #missing = 0;
  #head: Head | undefined;
  #waiting: PromiseWithResolvers<HttpResponse> | undefined;
  #lost: Error | undefined;

  /** `onPart` is called with each part of a streamed response. */
  constructor(port: number, onPart?: (part: Buffer) => void) {
    this.#onPart = onPart;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#receive(chunk));
    this.#socket.on('error', (error) => this.#onLost(error));
    this.#socket.on('close', () => this.#onLost(new Error('the gateway closed the connection')));
  }

  /** False after the connection was closed. Servers close idle connections after some seconds. */
  get isOpen(): boolean {
    return this.#lost === undefined;
  }

  /** Sends a complete request, given as text. */
  send(request: string): Promise<HttpResponse> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  close(): void {
    this.#socket.destroy();
  }

  #onLost(error: Error): void {
    this.#lost ??= error;
    this.#waiting?.reject(this.#lost);
  }

  #receive(chunk: Buffer): void {
    // Large responses are concatenated once, not with every chunk.
    this.#later.push(chunk);
    this.#missing -= chunk.length;
    if (this.#missing > 0) return;
    const buffers = this.#received.length === 0 ? this.#later : [this.#received, ...this.#later];
    this.#later = [];
    const [only = none] = buffers;
    this.#received = buffers.length === 1 ? only : Buffer.concat(buffers);
    this.#head ??= headOf(this.#received);
    if (this.#head === undefined) return;
    this.#missing = missingOf(this.#received, this.#head);
    if (this.#missing > 0) return;
    if (this.#onPart !== undefined) this.#emitParts(this.#head, this.#onPart);
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

  #emitParts(head: Head, onPart: (part: Buffer) => void): void {
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

/** Returns the body as soon as it is complete. */
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

/** Returns the chunk of a chunked body at this offset as soon as it is complete. */
function partOf(received: Buffer, at: number): { readonly bytes: Buffer; readonly next: number } | undefined {
  const lineEnd = received.indexOf('\r\n', at);
  if (lineEnd === -1) return undefined;
  const from = lineEnd + 2;
  const to = from + Number.parseInt(received.toString('latin1', at, lineEnd), 16);
  return received.length < to + 2 ? undefined : { bytes: received.subarray(from, to), next: to + 2 };
}
