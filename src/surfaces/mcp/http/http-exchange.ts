import { setTimeout as wait } from 'node:timers/promises';
import { LightAbortSignal } from '../../../core/async/light-abort-signal.ts';
import type { ClientChannel } from '../requests/request-context.ts';
import { type Answer, Prepared, type RequestId, replyParts, replyText } from '../protocol/wire-messages.ts';
import { type EventStream, type HeaderList, answerHeaders } from './streams/event-stream.ts';
import type { HttpResponse } from './http-types.ts';

const jsonHeaders = [...answerHeaders, 'Content-Type', 'application/json'];

/** The response formats that a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Options of an exchange. */
export interface ExchangeOptions {
  readonly accepted: Accepted;
  readonly headers: HeaderList;
  /** Creates the event stream if one is needed. */
  stream(): EventStream;
  /** The time in which a client must resume a lost stream before its request is cancelled. Absent: it cannot resume. */
  readonly withinMs?: number;
  /** Resolves with whether the client would still be authorized then. */
  mayReturn?(): Promise<boolean>;
}

/** One request and its response: a single JSON document, or an event stream if messages precede the response. */
export class Exchange implements ClientChannel {
  readonly canSend: boolean;
  /** Aborted when the client can no longer receive the response, or when the request is cancelled. */
  readonly stop = new LightAbortSignal();
  readonly #response: HttpResponse;
  readonly #options: ExchangeOptions;
  #stream: EventStream | undefined;
  #isOver = false;

  constructor(response: HttpResponse, options: ExchangeOptions) {
    this.#response = response;
    this.#options = options;
    this.canSend = options.accepted.stream;
    // The client may have disconnected while its request was read.
    if (response.closed) this.#closed();
    else response.on('close', () => this.#closed());
  }

  send(text: string): void {
    if (!this.#isOver && this.canSend) this.#open().send(text);
  }

  /** Sends a heartbeat. A long-running request becomes a stream. */
  beat(): void {
    if (!this.#isOver && this.canSend) this.#open().beat();
  }

  /** Sends the response to a request. */
  answer(id: RequestId, answer: Answer): void {
    const isWhole = this.#stream === undefined && this.#options.accepted.json;
    if (isWhole && answer instanceof Prepared) this.#endWith(replyParts(id, answer));
    else this.end(String(replyText(id, answer)));
  }

  /** Sends a text as the response. */
  end(text: string, status = 200): void {
    this.#isOver = true;
    if (this.#stream === undefined && (this.#options.accepted.json || status !== 200)) {
      if (this.#response.sendWhole !== undefined) {
        this.#response.sendWhole(status, [jsonHeaders, this.#options.headers], text);
        return;
      }
      const length = Buffer.byteLength(text);
      // Pure ASCII is the same in both encodings, and Latin-1 is faster to write.
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

  #head(status: number, length: number): HttpResponse {
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
    if (!this.#isOver) void this.#cancelUnlessResumed();
  }

  /** Cancels the request unless the client resumes its stream in time. */
  async #cancelUnlessResumed(): Promise<void> {
    const { withinMs } = this.#options;
    do {
      if (this.#stream === undefined || withinMs === undefined) break;
      // A failed authorization check does not cancel the request.
      if ((await this.#options.mayReturn?.().catch(() => true)) === false) break;
      await wait(withinMs, undefined, { ref: false });
    } while (this.#stream.isAttached);
    if (!this.#isOver) this.#cancel();
  }

  #cancel(): void {
    this.stop.abort(new DOMException('the client is gone', 'AbortError'));
  }
}
