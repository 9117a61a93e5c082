import { StringDecoder } from 'node:string_decoder';
import { type EventSourceMessage, createParser } from 'eventsource-parser';
import { tooLarge } from '../http-errors.ts';
import type { BodyReader } from './http-client-request.ts';

/** Reads a whole body as text, up to a size. */
export class TextReader implements BodyReader {
  readonly #maxBytes: number;
  readonly #onText: (text: string) => void;
  readonly fail: (error: Error) => void;
  #first: Buffer | undefined;
  readonly #rest: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number, onText: (text: string) => void, onError: (error: Error) => void) {
    this.#maxBytes = maxBytes;
    this.#onText = onText;
    this.fail = onError;
  }

  write(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw tooLarge('the response', this.#maxBytes);
    if (this.#first === undefined) this.#first = chunk;
    else this.#rest.push(chunk);
  }

  end(): void {
    const first = this.#first ?? Buffer.of();
    this.#onText((this.#rest.length === 0 ? first : Buffer.concat([first, ...this.#rest])).toString());
  }
}

/** Receives the events of an event stream. */
interface EventStreamHandler {
  onEvent(event: EventSourceMessage): void;
  /** The server's reconnection delay. */
  onRetry(ms: number): void;
  onEnd(error?: Error): void;
}

/** Reads an event stream, each of whose events may have up to a size. */
export class EventStreamReader implements BodyReader {
  readonly #maxBytes: number;
  readonly #handler: EventStreamHandler;
  readonly #decoder = new StringDecoder('utf8');
  readonly #parser;
  /** Bytes since the last complete event. */
  #pendingBytes = 0;

  constructor(maxBytes: number, handler: EventStreamHandler) {
    this.#maxBytes = maxBytes;
    this.#handler = handler;
    this.#parser = createParser({
      onEvent: (event) => {
        this.#pendingBytes = 0;
        if (event.data.length > maxBytes) throw tooLarge('an event of the response', maxBytes);
        handler.onEvent(event);
      },
      onRetry: (ms) => handler.onRetry(ms),
    });
  }

  write(chunk: Buffer): void {
    this.#pendingBytes += chunk.length;
    this.#parser.feed(this.#decoder.write(chunk));
    if (this.#pendingBytes > this.#maxBytes) throw tooLarge('an event of the response', this.#maxBytes);
  }

  end(): void {
    this.#handler.onEnd();
  }

  fail(error: Error): void {
    this.#handler.onEnd(error);
  }
}
