import { checkedElicitation, checkedSample } from '../../../catalog/schema/client-answers.ts';
import type { QuestionOptions, Elicitation } from '../../../core/calls/call-client.ts';
import { errorOf } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { type AbortSignalLike, LightAbortSignal, abortReason } from '../../../core/async/light-abort-signal.ts';
import type { ClientChannel } from '../requests/request-context.ts';
import type { Answer } from '../protocol/wire-messages.ts';

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  resolve(answer: JsonObject): void;
}

/** How serving a request goes on: it is over, or the client must be asked first. */
type Turn = { readonly answer: Answer } | { readonly inputRequests: JsonObject };

/**
 * A request of the 2026 revision while it is served, over as many rounds as its client must be asked something. In between no
 * request of the client is open, and the work waits for the next one.
 */
export class SuspendableRequest {
  /** Where progress and messages go; nowhere between two rounds. */
  channel: ClientChannel | undefined;
  readonly #stop = new LightAbortSignal();
  readonly #questions = new Map<string, Question>();
  readonly #ended: Promise<Answer>;
  #given: Record<string, JsonValue> = {};
  #wake: (() => void) | undefined;
  #flushing = false;
  #asked = 0;

  /** `channel`: that of the first round, before the work begins, which may have something to tell at once. */
  constructor(channel: ClientChannel, work: (run: SuspendableRequest, signal: AbortSignalLike) => Promise<Answer>) {
    this.channel = channel;
    this.#ended = work(this, this.#stop);
    // Whoever waits for it hears of it; between two rounds nobody does.
    this.#ended.catch(() => undefined);
  }

  /** Waits for the answer or for questions. The client going away meanwhile ends the work. */
  next(gone: AbortSignalLike | undefined): Promise<Turn> {
    const give = (): void => this.abort(gone === undefined ? undefined : abortReason(gone));
    if (gone?.aborted === true) give();
    gone?.addEventListener('abort', give, { once: true });
    return new Promise((resolve, reject) => {
      const over = (): void => {
        if (this.#wake === wake) this.#wake = undefined;
        gone?.removeEventListener('abort', give);
      };
      const wake = (): void => {
        over();
        resolve({ inputRequests: this.#inputRequests() });
      };
      this.#wake = wake;
      this.#ended.then(
        (answer) => {
          over();
          resolve({ answer });
        },
        (error: unknown) => {
          over();
          reject(errorOf(error));
        },
      );
      if (this.#questions.size > 0 && !this.#flushing) wake();
    });
  }

  abort(reason?: unknown): void {
    this.#stop.abort(reason ?? new DOMException('This operation was aborted', 'AbortError'));
  }

  /** Puts a question to the client, together with whatever else is asked at the same moment. */
  ask(method: string, params: JsonObject, asking: QuestionOptions | undefined): Promise<JsonObject> {
    const signal = asking?.signal ?? this.#stop;
    if (signal.aborted) return Promise.reject(abortReason(signal));
    // What came unasked may answer what a server asks by name, and nothing else.
    const given = asking?.key === undefined ? undefined : this.#take(asking.key, method, params);
    if (given !== undefined) return Promise.resolve(given);
    const key = this.#free(asking?.key ?? 'question');
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

  /** Takes the client’s answers. What is missing or is no answer stays asked. */
  answer(responses: JsonObject): void {
    this.#given = { ...responses };
    for (const [key, { method, params, resolve }] of this.#questions) {
      const response = this.#take(key, method, params);
      if (response === undefined) continue;
      this.#questions.delete(key);
      resolve(response);
    }
  }

  #take(key: string, method: string, params: JsonObject): JsonObject | undefined {
    const response = Object.hasOwn(this.#given, key) ? this.#given[key] : undefined;
    if (!isJsonObject(response) || !isAnswer(method, params, response)) return undefined;
    delete this.#given[key];
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

  #free(wanted: string): string {
    return this.#questions.has(wanted) ? `${wanted}-${(this.#asked += 1)}` : wanted;
  }
}

function isAnswer(method: string, params: JsonObject, response: JsonObject): boolean {
  try {
    if (method === 'elicitation/create') checkedElicitation(params as unknown as Elicitation, response);
    else if (method === 'sampling/createMessage') checkedSample(response);
    else return Array.isArray(response['roots']);
    return true;
  } catch {
    return false;
  }
}
