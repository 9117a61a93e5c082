import { checkedElicitation, checkedSample } from '../../../catalog/schema/client-answers.ts';
import type { QuestionOptions, Elicitation } from '../../../core/calls/call-client.ts';
import { errorOf } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { type AbortSignalLike, LightAbortSignal, abortReason } from '../../../core/async/light-abort-signal.ts';
import type { ClientChannel } from '../requests/request-context.ts';
import type { Answer } from '../protocol/wire-messages.ts';

/** A request to the client that is not answered yet. */
interface Question {
  readonly method: string;
  readonly params: JsonObject;
  resolve(answer: JsonObject): void;
}

/** The end of a round: the result, or the requests to the client. */
type RoundEnd = { readonly answer: Answer } | { readonly inputRequests: JsonObject };

/**
 * A request of revision 2026-07-28, served over one or more rounds. Between two rounds the client has no open HTTP request, and the work
 * waits for the next round.
 */
export class SuspendableRequest {
  /** Carries progress and log messages; `undefined` between two rounds. */
  channel: ClientChannel | undefined;
  readonly #stop = new LightAbortSignal();
  readonly #questions = new Map<string, Question>();
  readonly #ended: Promise<Answer>;
  #responses: Record<string, JsonValue> = {};
  #wake: (() => void) | undefined;
  #flushing = false;
  #duplicateKeys = 0;

  /** `channel` is set before the work begins, because the work may send messages at once. */
  constructor(channel: ClientChannel, work: (run: SuspendableRequest, signal: AbortSignalLike) => Promise<Answer>) {
    this.channel = channel;
    this.#ended = work(this, this.#stop);
    // Between two rounds nothing awaits it. `next` handles a rejection.
    this.#ended.catch(() => undefined);
  }

  /** Waits for the result or for requests to the client. Aborting `gone` aborts the work. */
  next(gone: AbortSignalLike | undefined): Promise<RoundEnd> {
    const onGone = (): void => this.abort(gone === undefined ? undefined : abortReason(gone));
    if (gone?.aborted === true) onGone();
    gone?.addEventListener('abort', onGone, { once: true });
    return new Promise((resolve, reject) => {
      const cleanUp = (): void => {
        if (this.#wake === wake) this.#wake = undefined;
        gone?.removeEventListener('abort', onGone);
      };
      const wake = (): void => {
        cleanUp();
        resolve({ inputRequests: this.#inputRequests() });
      };
      this.#wake = wake;
      this.#ended.then(
        (answer) => {
          cleanUp();
          resolve({ answer });
        },
        (error: unknown) => {
          cleanUp();
          reject(errorOf(error));
        },
      );
      if (this.#questions.size > 0 && !this.#flushing) wake();
    });
  }

  abort(reason?: unknown): void {
    this.#stop.abort(reason ?? new DOMException('This operation was aborted', 'AbortError'));
  }

  /** Sends a request to the client, batched with all others of the same tick. */
  ask(method: string, params: JsonObject, asking: QuestionOptions | undefined): Promise<JsonObject> {
    const signal = asking?.signal ?? this.#stop;
    if (signal.aborted) return Promise.reject(abortReason(signal));
    // An unsolicited response is used only for a request with the server's own key.
    const early = asking?.key === undefined ? undefined : this.#take(asking.key, method, params);
    if (early !== undefined) return Promise.resolve(early);
    const key = this.#uniqueKey(asking?.key ?? 'question');
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const withdraw = (): void => reject(abortReason(signal));
    signal.addEventListener('abort', withdraw, { once: true });
    this.#questions.set(key, { method, params, resolve });
    this.#flush();
    return promise.finally(() => {
      signal.removeEventListener('abort', withdraw);
      this.#questions.delete(key);
    });
  }

  /** Handles the client’s responses. Requests without a valid response stay open. */
  answer(responses: JsonObject): void {
    this.#responses = { ...responses };
    for (const [key, { method, params, resolve }] of this.#questions) {
      const response = this.#take(key, method, params);
      if (response === undefined) continue;
      this.#questions.delete(key);
      resolve(response);
    }
  }

  #take(key: string, method: string, params: JsonObject): JsonObject | undefined {
    const response = Object.hasOwn(this.#responses, key) ? this.#responses[key] : undefined;
    if (!isJsonObject(response) || !isValidResponse(method, params, response)) return undefined;
    delete this.#responses[key];
    return response;
  }

  #flush(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      if (this.#questions.size > 0) this.#wake?.();
    });
  }

  #inputRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }

  #uniqueKey(wanted: string): string {
    return this.#questions.has(wanted) ? `${wanted}-${(this.#duplicateKeys += 1)}` : wanted;
  }
}

function isValidResponse(method: string, params: JsonObject, response: JsonObject): boolean {
  try {
    if (method === 'elicitation/create') checkedElicitation(params as unknown as Elicitation, response);
    else if (method === 'sampling/createMessage') checkedSample(response);
    else return Array.isArray(response['roots']);
    return true;
  } catch {
    return false;
  }
}
