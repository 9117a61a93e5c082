import { randomUUID } from 'node:crypto';
import type { PubSub } from '../journal/store/pub-sub.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import { emitSafely } from '../core/async/emit-safely.ts';

/** What a process tells the others about sessions, by its name. */
interface SessionNotes {
  /** Events were written: of each session the first and the last of them. */
  readonly events: readonly (readonly [session: string, first: number, last: number])[];
  /** Turns wait for a process that can run them. */
  readonly waiting: Record<string, never>;
  /** Turns were interrupted. */
  readonly interrupted: { readonly session: string; readonly turns: readonly string[]; readonly why: string };
  readonly deleted: { readonly session: string };
  /** An answer to a question that an agent asked in a turn of another process. */
  readonly answer: {
    readonly id: string;
    readonly session: string;
    readonly toolCallId: string;
    readonly answers: JsonObject;
    readonly by: Principal;
  };
  /** An answer to a question that a server asked in a turn of another process. */
  readonly elicitation: {
    readonly id: string;
    readonly session: string;
    readonly elicitationId: string;
    readonly answer: JsonObject;
    readonly by: Principal;
  };
  /** The process that runs the turn took the answer, or says why not. */
  readonly answered: { readonly id: string; readonly problem?: { readonly code: string; readonly message: string } };
}

type Envelope<Name extends keyof SessionNotes> = readonly [sender: string, name: Name, note: SessionNotes[Name]];

const topic = 'sessions';

/** What the processes of a store tell each other about sessions. Notes of this process itself are not heard. */
export class SessionPost {
  readonly #post: PubSub;
  readonly #id: string = randomUUID();
  readonly #written = new Map<string, readonly [first: number, last: number]>();
  #isTelling = false;

  readonly #listeners = new Map<string, Set<(note: never) => void>>();
  readonly #stop: () => void;

  constructor(post: PubSub) {
    this.#post = post;
    this.#stop = post.subscribe(topic, (text) => {
      const [sender, name, note] = JSON.parse(text) as Envelope<never>;
      if (sender !== this.#id) for (const listener of this.#listeners.get(name) ?? []) emitSafely(listener, note);
    });
  }

  get reachesOthers(): boolean {
    return this.#post.isCrossProcess;
  }

  on<Name extends keyof SessionNotes>(name: Name, listener: (note: SessionNotes[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onGap(listener: () => void): () => void {
    return this.#post.onGap(listener);
  }

  /** Tells the others. Should that fail, they look by themselves, later. */
  async tell<Name extends keyof SessionNotes>(name: Name, note: SessionNotes[Name]): Promise<void> {
    if (!this.#post.isCrossProcess) return;
    const envelope: Envelope<Name> = [this.#id, name, note];
    await this.#post.publish(topic, JSON.stringify(envelope)).catch(() => undefined);
  }

  /** Events were written. What is written while others are being told is told together. */
  wrote(session: string, first: number, last: number): void {
    if (!this.#post.isCrossProcess) return;
    this.#written.set(session, [Math.min(first, this.#written.get(session)?.[0] ?? first), last]);
    if (!this.#isTelling) void this.#tellWritten();
  }

  close(): void {
    this.#stop();
  }

  async #tellWritten(): Promise<void> {
    this.#isTelling = true;
    while (this.#written.size > 0) {
      const events = [...this.#written].map(([session, [first, last]]) => [session, first, last] as const);
      this.#written.clear();
      await this.tell('events', events);
    }
    this.#isTelling = false;
  }
}
