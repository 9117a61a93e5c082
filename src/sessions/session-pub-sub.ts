import { randomUUID } from 'node:crypto';
import type { PubSub } from '../journal/store/pub-sub.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import { emitSafely } from '../core/async/emit-safely.ts';

/** The messages between processes about sessions, by name. */
interface SessionMessages {
  /** Events were written: the first and last sequence number per session. */
  readonly events: readonly (readonly [session: string, first: number, last: number])[];
  /** Turns wait for a process with free capacity. */
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
  /** The process that runs the turn accepted the answer, or rejected it with a problem. */
  readonly answered: { readonly id: string; readonly problem?: { readonly code: string; readonly message: string } };
}

type Envelope<Name extends keyof SessionMessages> = readonly [
  sender: string,
  name: Name,
  message: SessionMessages[Name],
];

const topic = 'sessions';

/** Typed pub/sub between the processes of a store, about sessions. A process does not receive its own messages. */
export class SessionPubSub {
  readonly #pubSub: PubSub;
  readonly #id: string = randomUUID();
  readonly #written = new Map<string, readonly [first: number, last: number]>();
  #isPublishing = false;

  readonly #listeners = new Map<string, Set<(message: never) => void>>();
  readonly #stop: () => void;

  constructor(pubSub: PubSub) {
    this.#pubSub = pubSub;
    this.#stop = pubSub.subscribe(topic, (text) => {
      const [sender, name, message] = JSON.parse(text) as Envelope<never>;
      if (sender !== this.#id) for (const listener of this.#listeners.get(name) ?? []) emitSafely(listener, message);
    });
  }

  get isCrossProcess(): boolean {
    return this.#pubSub.isCrossProcess;
  }

  on<Name extends keyof SessionMessages>(name: Name, listener: (message: SessionMessages[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onGap(listener: () => void): () => void {
    return this.#pubSub.onGap(listener);
  }

  /** Sends a message to the other processes. When that fails, they find the change by polling. */
  async publish<Name extends keyof SessionMessages>(name: Name, message: SessionMessages[Name]): Promise<void> {
    if (!this.#pubSub.isCrossProcess) return;
    const envelope: Envelope<Name> = [this.#id, name, message];
    await this.#pubSub.publish(topic, JSON.stringify(envelope)).catch(() => undefined);
  }

  /** Announces written events. Events that are written during a publish go into the next message together. */
  publishWritten(session: string, first: number, last: number): void {
    if (!this.#pubSub.isCrossProcess) return;
    this.#written.set(session, [Math.min(first, this.#written.get(session)?.[0] ?? first), last]);
    if (!this.#isPublishing) void this.#publishWrittenEvents();
  }

  close(): void {
    this.#stop();
  }

  async #publishWrittenEvents(): Promise<void> {
    this.#isPublishing = true;
    while (this.#written.size > 0) {
      const events = [...this.#written].map(([session, [first, last]]) => [session, first, last] as const);
      this.#written.clear();
      await this.publish('events', events);
    }
    this.#isPublishing = false;
  }
}
