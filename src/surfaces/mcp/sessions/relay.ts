import { setImmediate as whatCameAlready } from 'node:timers/promises';
import type { PubSub } from '../../../journal/store/pub-sub.ts';
import { newId } from '../../../core/identifiers.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { type AbortSignalLike, abortReason } from '../../../core/async/light-abort-signal.ts';

/** How long one waits for the other. */
export interface RelayTimes {
  /** Until it says that it is there (3 s). */
  readonly answerMs?: number;
  /** How often each shows that it still is (15 s); silent for three times as long, it is taken for gone. */
  readonly beatMs?: number;
}

/** The process that asked, to whoever works for it. */
export interface RelayCaller {
  /** Says something before the answer. */
  tell(text: string): void;
  /** Aborted when it does not want the answer any more, or is gone. */
  readonly signal: AbortSignal;
}

/** Does something for another process. What it throws is told as no answer at all. */
type RelayWork<Asked> = (asked: Asked, caller: RelayCaller) => Promise<JsonObject>;

/** What two processes say to each other. */
type Note =
  | { readonly kind: 'ask'; readonly name: string; readonly asked: object }
  | { readonly kind: 'tell'; readonly text: string }
  /** `null`: it has nothing to answer. */
  | { readonly kind: 'end'; readonly answer: JsonObject | null }
  | { readonly kind: 'beat' | 'leave' };

/** The process that was asked is not there, or does not have what it was asked for. */
export class RelayLost extends Error {
  override readonly name = 'RelayLost';
  /** Whether it was heard of before: then it may have begun what it was asked for. */
  readonly hasBegun: boolean;

  constructor(message: string, { hasBegun = false }: { readonly hasBegun?: boolean } = {}) {
    super(message);
    this.hasBegun = hasBegun;
  }
}

/** A conversation of two processes about one thing that was asked. */
interface Line {
  readonly to: string;
  readonly id: string;
  timer: NodeJS.Timeout;
  told(note: Note): void;
  lost(): void;
}

/** The places in this process, for a post that reaches no other. */
const placesHere = new WeakMap<PubSub, Set<string>>();

/** Has work done by the process that holds what is needed for it, and says meanwhile what there is to say. */
export class Relay {
  /** Where this one is asked. */
  readonly place = newId('at');
  readonly #post: PubSub;
  readonly #answerMs: number;
  readonly #beatMs: number;
  readonly #here: Set<string>;
  readonly #works = new Map<string, RelayWork<object>>();
  readonly #lines = new Map<string, Line>();
  readonly #beat: NodeJS.Timeout;
  readonly #stopListening: () => void;

  constructor(post: PubSub, { answerMs = 3000, beatMs = 15_000 }: RelayTimes = {}) {
    this.#post = post;
    this.#answerMs = answerMs;
    this.#beatMs = beatMs;
    this.#here = placesHere.get(post) ?? new Set();
    placesHere.set(post, this.#here.add(this.place));
    this.#stopListening = post.subscribe(topicOf(this.place), (text) => this.#hear(text));
    this.#beat = setInterval(() => {
      for (const line of this.#lines.values()) this.#send(line, { kind: 'beat' });
    }, beatMs);
    this.#beat.unref();
  }

  /** Takes what others ask for by this name. */
  serve<Asked extends object>(name: string, work: RelayWork<Asked>): void {
    this.#works.set(name, (asked, caller) => work(asked as Asked, caller));
  }

  /** Asks the process at a place. Rejects with `RelayLost` when that cannot answer, and as the store does when nobody can be asked. */
  async ask(
    to: string,
    name: string,
    asked: object,
    { tell, signal }: { tell(text: string): void; readonly signal?: AbortSignalLike | undefined },
  ): Promise<JsonObject> {
    if (signal?.aborted === true) throw abortReason(signal);
    if (!this.#post.isCrossProcess && !this.#here.has(to)) throw new RelayLost('it is not there');
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    let hasBegun = false;
    const line = this.#open(to, newId('line'), this.#answerMs, {
      told(note) {
        hasBegun = true;
        if (note.kind === 'tell') tell(note.text);
        else if (note.kind === 'end' && note.answer !== null) resolve(note.answer);
        else if (note.kind === 'end' || note.kind === 'leave')
          reject(new RelayLost('it has nothing to answer', { hasBegun }));
      },
      lost: () => {
        // It may only be slow: then it hears at once that this is not wanted any more.
        this.#send(line, { kind: 'leave' });
        reject(new RelayLost('it does not answer', { hasBegun }));
      },
    });
    const leave = (): void => {
      this.#send(line, { kind: 'leave' });
      if (signal !== undefined) reject(abortReason(signal));
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      const sent = this.#post.publish(topicOf(to), noteOf(line, this.place, { kind: 'ask', name, asked }));
      sent.catch(reject);
      return await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
      this.#close(line);
    }
  }

  close(): void {
    clearInterval(this.#beat);
    this.#here.delete(this.place);
    this.#stopListening();
    for (const line of this.#lines.values()) {
      this.#send(line, { kind: 'leave' });
      this.#close(line);
      line.lost();
    }
  }

  #hear(text: string): void {
    const { from, id, note } = JSON.parse(text) as { from: string; id: string; note: Note };
    if (note.kind === 'ask') return void this.#work(from, id, note);
    const line = this.#lines.get(id);
    if (line?.to !== from) return;
    this.#waitFor(line, 3 * this.#beatMs);
    line.told(note);
  }

  async #work(from: string, id: string, { name, asked }: Note & { kind: 'ask' }): Promise<void> {
    const controller = new AbortController();
    const leave = (): void => controller.abort(new DOMException('the client is gone', 'AbortError'));
    const line = this.#open(from, id, 3 * this.#beatMs, {
      told: ({ kind }) => (kind === 'leave' ? leave() : undefined),
      lost: leave,
    });
    const { signal } = controller;
    // Whoever was slow to hear it has the goodbye right behind: the one who asked has told a client that nothing was done.
    await whatCameAlready();
    if (signal.aborted) return this.#close(line);
    this.#send(line, { kind: 'beat' });
    const caller = { tell: (text: string) => this.#send(line, { kind: 'tell', text }), signal };
    let answer: JsonObject | null = null;
    try {
      answer = (await this.#works.get(name)?.(asked, caller)) ?? null;
    } catch {
      // Whoever asked says what that means to them.
    }
    this.#send(line, { kind: 'end', answer });
    this.#close(line);
  }

  #open(to: string, id: string, patienceMs: number, ends: Pick<Line, 'told' | 'lost'>): Line {
    const line: Line = { to, id, timer: setTimeout(() => undefined, 0), ...ends };
    this.#lines.set(id, line);
    this.#waitFor(line, patienceMs);
    return line;
  }

  #waitFor(line: Line, patienceMs: number): void {
    clearTimeout(line.timer);
    line.timer = setTimeout(() => {
      this.#close(line);
      line.lost();
    }, patienceMs);
    line.timer.unref();
  }

  #close(line: Line): void {
    clearTimeout(line.timer);
    this.#lines.delete(line.id);
  }

  #send(line: Line, note: Note): void {
    // A note that cannot be sent is missed by the other, who takes silence for what it is.
    this.#post.publish(topicOf(line.to), noteOf(line, this.place, note)).catch(() => undefined);
  }
}

function noteOf({ id }: Line, from: string, note: Note): string {
  return JSON.stringify({ from, id, note });
}

function topicOf(place: string): string {
  return `relay ${place}`;
}
