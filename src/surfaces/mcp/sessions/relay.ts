import { setImmediate as pendingEvents } from 'node:timers/promises';
import type { PubSub } from '../../../journal/store/pub-sub.ts';
import { newId } from '../../../core/identifiers.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { type AbortSignalLike, abortReason } from '../../../core/async/light-abort-signal.ts';

/** Timeouts of a relay. */
export interface RelayTimes {
  /** Time for the first response of the other process (default 3 s). */
  readonly answerMs?: number;
  /** Interval of heartbeats (default 15 s). A process that is silent for three intervals counts as gone. */
  readonly beatMs?: number;
}

/** The process that sent a request. */
export interface RelayCaller {
  /** Sends a message before the result. */
  send(text: string): void;
  /** Aborted when the process cancels the request, or is gone. */
  readonly signal: AbortSignal;
}

/** Serves a request of another process. A rejection is reported as an empty result. */
type RelayHandler<Payload> = (request: Payload, caller: RelayCaller) => Promise<JsonObject>;

/** A message between two processes. */
type Note =
  | { readonly kind: 'request'; readonly name: string; readonly request: object }
  | { readonly kind: 'message'; readonly text: string }
  /** `null`: the request has no result. */
  | { readonly kind: 'end'; readonly answer: JsonObject | null }
  | { readonly kind: 'beat' | 'leave' };

/** The other process is unreachable, or cannot serve the request. */
export class RelayUnavailableError extends Error {
  override readonly name = 'RelayUnavailableError';
  /** Whether it had responded before, so that it may have begun to serve the request. */
  readonly hasBegun: boolean;

  constructor(message: string, { hasBegun = false }: { readonly hasBegun?: boolean } = {}) {
    super(message);
    this.hasBegun = hasBegun;
  }
}

/** One request between two processes, on either side. */
interface Link {
  readonly to: string;
  readonly id: string;
  timer: NodeJS.Timeout;
  onNote(note: Note): void;
  onLost(): void;
}

/** The relay addresses in this process, for a pub/sub that reaches no other process. */
const localAddresses = new WeakMap<PubSub, Set<string>>();

/** Sends requests to the process that holds the required state, with messages before the result. */
export class Relay {
  /** The address of this process. */
  readonly address = newId('at');
  readonly #pubSub: PubSub;
  readonly #answerMs: number;
  readonly #beatMs: number;
  readonly #local: Set<string>;
  readonly #handlers = new Map<string, RelayHandler<object>>();
  readonly #links = new Map<string, Link>();
  readonly #beat: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(pubSub: PubSub, { answerMs = 3000, beatMs = 15_000 }: RelayTimes = {}) {
    this.#pubSub = pubSub;
    this.#answerMs = answerMs;
    this.#beatMs = beatMs;
    this.#local = localAddresses.get(pubSub) ?? new Set();
    localAddresses.set(pubSub, this.#local.add(this.address));
    this.#stopListening = pubSub.subscribe(topicOf(this.address), (text) => this.#receive(text));
    this.#beat = setInterval(() => {
      for (const link of this.#links.values()) this.#send(link, { kind: 'beat' });
    }, beatMs);
    this.#beat.unref();
  }

  /** Registers the handler of requests by name. */
  serve<Payload extends object>(name: string, handle: RelayHandler<Payload>): void {
    this.#handlers.set(name, (request, caller) => handle(request as Payload, caller));
  }

  /** Sends a request to a process. Rejects with `RelayUnavailableError` when that process cannot serve it, or with the error of the pub/sub. */
  async ask(
    to: string,
    name: string,
    request: object,
    { onMessage, signal }: { onMessage(text: string): void; readonly signal?: AbortSignalLike | undefined },
  ): Promise<JsonObject> {
    if (signal?.aborted === true) throw abortReason(signal);
    if (!this.#pubSub.isCrossProcess && !this.#local.has(to))
      throw new RelayUnavailableError('the process is not reachable');
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    let hasBegun = false;
    const link = this.#open(to, newId('line'), this.#answerMs, {
      onNote(note) {
        hasBegun = true;
        if (note.kind === 'message') onMessage(note.text);
        else if (note.kind === 'end' && note.answer !== null) resolve(note.answer);
        else if (note.kind === 'end' || note.kind === 'leave')
          reject(new RelayUnavailableError('the process has no result', { hasBegun }));
      },
      onLost: () => {
        // It may only be slow, and must then cancel the request.
        this.#send(link, { kind: 'leave' });
        reject(new RelayUnavailableError('the process does not respond', { hasBegun }));
      },
    });
    const leave = (): void => {
      this.#send(link, { kind: 'leave' });
      if (signal !== undefined) reject(abortReason(signal));
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const sent = this.#pubSub.publish(topicOf(to), noteOf(link, this.address, { kind: 'request', name, request }));
      sent.catch(reject);
      return await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#close(link);
    }
  }

  close(): void {
    clearInterval(this.#beat);
    this.#local.delete(this.address);
    this.#stopListening();
    for (const link of this.#links.values()) {
      this.#send(link, { kind: 'leave' });
      this.#close(link);
      link.onLost();
    }
  }

  #receive(text: string): void {
    const { from, id, note } = JSON.parse(text) as { from: string; id: string; note: Note };
    if (note.kind === 'request') return void this.#serve(from, id, note);
    const link = this.#links.get(id);
    if (link?.to !== from) return;
    this.#waitFor(link, 3 * this.#beatMs);
    link.onNote(note);
  }

  async #serve(from: string, id: string, { name, request }: Note & { kind: 'request' }): Promise<void> {
    const controller = new AbortController();
    const leave = (): void => controller.abort(new DOMException('the client is gone', 'AbortError'));
    const link = this.#open(from, id, 3 * this.#beatMs, {
      onNote: ({ kind }) => (kind === 'leave' ? leave() : undefined),
      onLost: leave,
    });
    const { signal } = controller;
    // A cancellation may be queued right behind the request. Its sender has already reported that the request was not served.
    await pendingEvents();
    if (signal.aborted) return this.#close(link);
    this.#send(link, { kind: 'beat' });
    const caller = { send: (text: string) => this.#send(link, { kind: 'message', text }), signal };
    let answer: JsonObject | null = null;
    try {
      answer = (await this.#handlers.get(name)?.(request, caller)) ?? null;
    } catch {
      // Reported as `null`; the requesting process decides what that means.
    }
    this.#send(link, { kind: 'end', answer });
    this.#close(link);
  }

  #open(to: string, id: string, timeoutMs: number, ends: Pick<Link, 'onNote' | 'onLost'>): Link {
    const link: Link = { to, id, timer: setTimeout(() => undefined, 0), ...ends };
    this.#links.set(id, link);
    this.#waitFor(link, timeoutMs);
    return link;
  }

  #waitFor(link: Link, timeoutMs: number): void {
    clearTimeout(link.timer);
    link.timer = setTimeout(() => {
      this.#close(link);
      link.onLost();
    }, timeoutMs);
    link.timer.unref();
  }

  #close(link: Link): void {
    clearTimeout(link.timer);
    this.#links.delete(link.id);
  }

  #send(link: Link, note: Note): void {
    // The other process detects a lost message by the missing heartbeat.
    this.#pubSub.publish(topicOf(link.to), noteOf(link, this.address, note)).catch(() => undefined);
  }
}

function noteOf({ id }: Link, from: string, note: Note): string {
  return JSON.stringify({ from, id, note });
}

function topicOf(address: string): string {
  return `relay ${address}`;
}
