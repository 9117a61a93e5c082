import type { PermissionMode } from '../../core/calls/permission-mode.ts';
import type { Principal } from '../../core/principal.ts';

/** The stored form of a session. Texts are empty until they are set. */
export interface SessionRecord extends SessionProperties {
  readonly id: string;
  readonly cwd: string;
  readonly owner: Principal;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly activeAt: number;
  readonly forkedFrom: string;
  readonly lastSeq: number;
  /** The seq of the first event of the running turn (which may not be written yet), or else of the last turn; 0 before the first. */
  readonly turnSeq: number;
  /** The number of turns that wait to be claimed. */
  readonly queued: number;
  /** The state of the claimed turn: none, running, or waiting for a human. */
  readonly turn: 'none' | 'running' | 'waiting';
}

/** The properties of a session that a write can change. */
export interface SessionProperties {
  readonly agent: string;
  readonly runtime: string;
  readonly model: string;
  readonly title: string;
  readonly permissionMode: PermissionMode;
  /** The reason why the last turn ended. */
  readonly lastTurn: string;
}

/** A new session, without turns, and without events other than those it copies. */
export type SessionDraft = Omit<SessionRecord, 'lastSeq' | 'turnSeq' | 'queued' | 'turn'> & {
  /** Copies the events up to this seq, and the memory, from the session in `forkedFrom`. */
  readonly copiesTo?: number;
};

/** Changes to one session. A batch of changes is atomic. */
export interface SessionWrite {
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The write does not count as activity of the session. */
  readonly idle?: boolean;
  /** The events to append, as JSON texts. Each gets the next seq. */
  readonly events: readonly string[];
  readonly set?: Partial<SessionProperties>;
  /** The state that the runtime receives in the next turn, as JSON text. */
  readonly memory?: string;
  /** The first event begins a turn. */
  readonly begins?: boolean;
  /** Whether the claimed turn waits for a human. */
  readonly waits?: boolean;
  /** The id of a turn that has ended. */
  readonly ends?: string;
}

/** The stored form of a session event. */
export interface StoredSessionEvent {
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

/** A message and its turn. */
export interface TurnRecord {
  readonly id: string;
  readonly session: string;
  readonly content: string;
  readonly by: Principal;
  /** The turn was interrupted and must not start or continue. */
  readonly interrupted: boolean;
}

/** A turn before it is queued. */
export interface TurnDraft extends Omit<TurnRecord, 'interrupted'> {
  readonly at: number;
  /** The title for a session that has none. */
  readonly title: string;
  /** The maximum number of waiting turns. */
  readonly maxWaiting: number;
  /** An idempotency key: a message with the same key within the last day is the same message. */
  readonly key?: string;
}

/** A turn that was queued. */
export interface QueuedTurn {
  readonly turnId: string;
  /** The seq that precedes its events. */
  readonly afterSeq: number;
  /** The number of turns before it. */
  readonly position: number;
}

/** A query for sessions, last active first. All conditions must match. */
export interface SessionRecordQuery {
  readonly limit: number;
  /** Only sessions after this one in the order. */
  readonly after?: { readonly activeAt: number; readonly id: string };
  readonly cwd?: string;
  readonly owner?: string;
  /** Only sessions with a running or waiting turn. */
  readonly active?: boolean;
  /** Only sessions that were last active before this time. */
  readonly activeBefore?: number;
}

/** The time for which the idempotency key of a message is stored. */
export const sentMessagesMs = 24 * 60 * 60 * 1000;

/** Options for finding the work of processes that have ended. */
export interface RecoveryOptions {
  /** Waits longer before it considers a process ended, because a lost connection has the same effect. For periodic checks. */
  readonly patient?: boolean;
}

/** The part of the `Store` interface for sessions. Acknowledged changes survive the end of the process. */
export interface SessionStore {
  create(draft: SessionDraft): Promise<void>;
  find(id: string): Promise<SessionRecord | undefined>;
  select(query: SessionRecordQuery): Promise<readonly SessionRecord[]>;
  count(query?: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  /** Deletes a session with all its data. Returns whether it existed. */
  delete(id: string): Promise<boolean>;
  /** Returns the memory of a session as JSON text, or `undefined` when it has none. */
  memory(id: string): Promise<string | undefined>;
  /** Returns the last seq of each session after its write, or `undefined` for a session that does not exist. */
  write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]>;
  /** Returns the events with a greater seq, in order. */
  events(id: string, after: number, limit: number): Promise<readonly StoredSessionEvent[]>;
  /** Deletes all events but the last `keep`. */
  trim(id: string, keep: number): Promise<void>;
  /** Queues a turn, or returns the earlier result for the same message. `undefined` when the queue is full or the session does not exist. */
  queue(turn: TurnDraft): Promise<QueuedTurn | undefined>;
  /** Claims the next turn for this process. `undefined` when none waits or one is running. */
  claim(session: string): Promise<TurnRecord | undefined>;
  /** Marks all turns of a session as interrupted and returns their ids. */
  interrupt(session: string): Promise<readonly string[]>;
  /** Takes over the turns of processes that have ended. Each turn is assigned to one process, once. */
  takeLost(options?: RecoveryOptions): Promise<readonly TurnRecord[]>;
  /** Returns the turns that this process has claimed, with interruptions by any process. */
  claimed(): Promise<readonly TurnRecord[]>;
  /** Returns sessions whose next turn can be claimed, the longest waiting first. */
  waiting(limit: number): Promise<readonly string[]>;
}
