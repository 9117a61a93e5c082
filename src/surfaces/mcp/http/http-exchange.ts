import { setTimeout as wait } from 'node:timers/promises';
import { LightAbortSignal } from '../../../core/async/light-abort-signal.ts';
import type { ClientChannel } from '../requests/request-context.ts';
import { type Answer, Prepared, type RequestId, replyParts, replyText } from '../protocol/wire-messages.ts';
import { type EventStream, type HeaderList, answerHeaders } from './streams/event-stream.ts';
import type { HttpReply } from './http-types.ts';

const jsonHeaders = [...answerHeaders, 'Content-Type', 'application/json'];

/** What a client takes as an answer. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** How an answer is sent. */
export interface ExchangeOptions {
  readonly accepted: Accepted;
  readonly headers: HeaderList;
  /** Makes the stream, should one be needed: one that the client can come back to, or not. */
  stream(): EventStream;
  /** How long a client that lost its stream may take to come back before its request is given up; not at all when absent. */
  readonly withinMs?: number;
  /** Whether it would still be let in then. */
  mayReturn?(): Promise<boolean>;
}

/** One request and its answer: a single JSON document, unless something has to be said before it. */
export class Exchange implements ClientChannel {
  readonly canSend: boolean;
  /** Aborted when nobody can get the answer any more, and by whoever else ends the request. */
  readonly stop = new LightAbortSignal();
  readonly #response: HttpReply;
  readonly #options: ExchangeOptions;
  #stream: EventStream | undefined;
  #isOver = false;

  constructor(response: HttpReply, options: ExchangeOptions) {
    this.#response = response;
    this.#options = options;
    this.canSend = options.accepted.stream;
    // Whoever hung up while their request was read has told so already.
    if (response.closed) this.#closed();
    else response.on('close', () => this.#closed());
  }

  send(text: string): void {
    if (!this.#isOver && this.canSend) this.#open().send(text);
  }

  /** Keeps the connection from being taken for dead; what takes long goes on as a stream. */
  beat(): void {
    if (!this.#isOver && this.canSend) this.#open().beat();
  }

  /** Sends the answer to a request. */
  answer(id: RequestId, answer: Answer): void {
    const isWhole = this.#stream === undefined && this.#options.accepted.json;
    if (isWhole && answer instanceof Prepared) this.#endWith(replyParts(id, answer));
    else this.end(String(replyText(id, answer)));
  }

  /** Sends a text as the answer. */
  end(text: string, status = 200): void {
    this.#isOver = true;
    if (this.#stream === undefined && (this.#options.accepted.json || status !== 200)) {
      if (this.#response.sendWhole !== undefined) {
        this.#response.sendWhole(status, [jsonHeaders, this.#options.headers], text);
        return;
      }
      const length = Buffer.byteLength(text);
      // Text without other characters is the same in both encodings, and written faster in the simpler one.
      this.#head(status, length).end(text, length === text.length ? 'latin1' : 'utf8');
    } else this.#open().end(text);
  }

  #endWith([head, bytes, tail]: readonly [Buffer, Buffer, Buffer]): void {
    this.#isOver = true;
    const response = this.#head(200, head.length + bytes.length + tail.length);
    response.cork();
    response.write(head);
    response.write(bytes);
    response.end(tail);
  }

  #head(status: number, length: number): HttpReply {
    return this.#response.writeHead(
      status,
      jsonHeaders.concat(this.#options.headers, 'Content-Length', String(length)),
    );
  }

  #open(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = this.#options.stream();
      this.#stream.attach(this.#response, this.#options.headers);
    }
    return this.#stream;
  }

  #closed(): void {
    if (!this.#isOver) void this.#leaveUnlessBack();
  }

  /** The client may come back, and may lose the stream again after that. */
  async #leaveUnlessBack(): Promise<void> {
    const { withinMs } = this.#options;
    do {
      if (this.#stream === undefined || withinMs === undefined) break;
      // Nobody is given up because it cannot be told for a moment whether they may return.
      if ((await this.#options.mayReturn?.().catch(() => true)) === false) break;
      await wait(withinMs, undefined, { ref: false });
    } while (this.#stream.isAttached);
    if (!this.#isOver) this.#leave();
  }

  #leave(): void {
    this.stop.abort(new DOMException('the client is gone', 'AbortError'));
  }
}
