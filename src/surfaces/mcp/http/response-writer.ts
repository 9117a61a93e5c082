import { setTimeout as wait } from 'node:timers/promises';
import { LightAbortSignal } from '../../../core/async/light-abort-signal.ts';
import type { ClientChannel } from '../requests/request-context.ts';
import { type Answer, Prepared, type RequestId, replyParts, replyText } from '../protocol/wire-messages.ts';
import type { AuthorizedRequest, HttpResponse } from './http-types.ts';
import type { HttpSession } from './sessions/http-session.ts';
import { EventStream, type HeaderList, answerHeaders } from './streams/event-stream.ts';

const noHeaders: HeaderList = [];
const defaultResumeDelayMs = 60_000;
const jsonHeaders = [...answerHeaders, 'Content-Type', 'application/json'];

/** The response formats that a client accepts. */
export interface Accepted {
  readonly json: boolean;
  readonly stream: boolean;
}

/** Writes the response to one request: a single JSON document, or an event stream if messages precede the response. */
export class ResponseWriter implements ClientChannel {
  readonly canSend: boolean;
  /** Aborted when the client can no longer receive the response, or when the request is cancelled. */
  readonly stop = new LightAbortSignal();
  readonly #response: HttpResponse;
  /** Absent without a session, so that a long-running request does not retain its body. */
  readonly #incoming: Pick<AuthorizedRequest, 'mayReturn'> | undefined;
  readonly #accepted: Accepted;
  readonly #session: Pick<HttpSession, 'headers' | 'stream'> | undefined;
  readonly #id: RequestId | undefined;
  readonly #resumeDelayMs: number;
  #stream: EventStream | undefined;
  #isOver = false;

  /** With a session, the client can resume a lost stream within the delay. `id` is absent for a batch. */
  constructor(
    incoming: Pick<AuthorizedRequest, 'response' | 'mayReturn'>,
    accepted: Accepted,
    session?: Pick<HttpSession, 'headers' | 'stream'>,
    id?: RequestId,
    resumeDelayMs = defaultResumeDelayMs,
  ) {
    const { response } = incoming;
    this.#response = response;
    this.#incoming = session === undefined ? undefined : incoming;
    this.#accepted = accepted;
    this.#session = session;
    this.#id = id;
    this.#resumeDelayMs = resumeDelayMs;
    this.canSend = accepted.stream;
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
    const isWhole = this.#stream === undefined && this.#accepted.json;
    if (isWhole && answer instanceof Prepared) this.#endWith(replyParts(id, answer));
    else this.end(String(replyText(id, answer)));
  }

  /** Sends a text as the response. */
  end(text: string, status = 200): void {
    this.#isOver = true;
    if (this.#stream === undefined && (this.#accepted.json || status !== 200)) {
      if (this.#response.sendWhole !== undefined) {
        this.#response.sendWhole(status, [jsonHeaders, this.#headers], text);
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

  get #headers(): HeaderList {
    return this.#session?.headers ?? noHeaders;
  }

  #head(status: number, length: number): HttpResponse {
    return this.#response.writeHead(status, jsonHeaders.concat(this.#headers, 'Content-Length', String(length)));
  }

  #open(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = this.#session?.stream(this.#id) ?? new EventStream();
      this.#stream.attach(this.#response, this.#headers);
    }
    return this.#stream;
  }

  #closed(): void {
    if (!this.#isOver) void this.#cancelUnlessResumed();
  }

  /** Cancels the request unless the client resumes its stream in time. */
  async #cancelUnlessResumed(): Promise<void> {
    do {
      if (this.#stream === undefined || this.#incoming === undefined) break;
      // A failed authorization check does not cancel the request.
      if (!(await this.#incoming.mayReturn().catch(() => true))) break;
      await wait(this.#resumeDelayMs, undefined, { ref: false });
    } while (this.#stream.isAttached);
    if (!this.#isOver) this.stop.abort(new DOMException('the client is gone', 'AbortError'));
  }
}
