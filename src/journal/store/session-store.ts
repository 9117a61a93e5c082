import type { PermissionMode } from '../../core/calls/permission-mode.ts';
import type { Principal } from '../../core/principal.ts';
import type { RecoveryOptions } from './recovery-options.ts';

/** A session as it is kept. Texts are empty where there is nothing yet. */
export interface SessionRecord extends SessionFacts {
  readonly id: string;
  readonly cwd: string;
  readonly owner: Principal;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly activeAt: number;
  readonly forkedFrom: string;
  readonly lastSeq: number;
  /** The first event of the turn that runs, also while it is still to come, or of the last one; 0 before the first. */
  readonly turnSeq: number;
  /** Turns that wait to be claimed. */
  readonly queued: number;
  /** Whether a turn was claimed and has not ended, and whether it waits for a human. */
  readonly turn: 'none' | 'running' | 'waiting';
}

/** What a write can change of a session. */
export interface SessionFacts {
  readonly agent: string;
  readonly runtime: string;
  readonly model: string;
  readonly title: string;
  readonly permissionMode: PermissionMode;
  /** Why the last turn ended. */
  readonly lastTurn: string;
}

/** A session that is new: it has no turns, and no events but those it copies. */
export type SessionDraft = Omit<SessionRecord, 'lastSeq' | 'turnSeq' | 'queued' | 'turn'> & {
  /** Copies events up to this one, and the memory, from the session it was forked from. */
  readonly copiesTo?: number;
};

/** Changes of one session. All of a batch are made, or none. */
export interface SessionWrite {
  readonly session: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** It does not count as activity of the session. */
  readonly idle?: boolean;
  /** Each gets the next seq; JSON text. */
  readonly events: readonly string[];
  readonly set?: Partial<SessionFacts>;
  /** What the runtime wants back in the next turn; JSON text. */
  readonly memory?: string;
  /** The first event begins a turn. */
  readonly begins?: boolean;
  /** The turn that was claimed waits for a human, or does not any more. */
  readonly waits?: boolean;
  /** The turn of this id is over. */
  readonly ends?: string;
}

export interface StoredSessionEvent {
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

/** A message, and the turn it is to become. */
export interface TurnRecord {
  readonly id: string;
  readonly session: string;
  readonly content: string;
  readonly by: Principal;
  /** Somebody took it back: it must not run (on). */
  readonly interrupted: boolean;
}

/** A turn on its way into the queue. */
export interface TurnDraft extends Omit<TurnRecord, 'interrupted'> {
  readonly at: number;
  /** What a session without a title is called from now on. */
  readonly title: string;
  /** It is not taken when so many wait. */
  readonly most: number;
  /** A message of the same key that was sent within the last day is the same message. */
  readonly key?: string;
}

/** A turn that was taken. */
export interface QueuedTurn {
  readonly turnId: string;
  /** Its events come after this one. */
  readonly afterSeq: number;
  /** How many turns were before it. */
  readonly position: number;
}

/** Which sessions to find; all conditions must hold. Last active first. */
export interface SessionRecordQuery {
  readonly limit: number;
  /** Only those that come after this one in the order. */
  readonly after?: { readonly activeAt: number; readonly id: string };
  readonly cwd?: string;
  readonly owner?: string;
  /** Only those with a turn that runs or waits. */
  readonly active?: boolean;
  /** Only those that were last active before this time. */
  readonly activeBefore?: number;
}

/** How long a message that comes again under its key is known. */
export const sentMessagesMs = 24 * 60 * 60 * 1000;

/** The part of the Store port that keeps sessions. What it acknowledged survives the death of the process. */
export interface SessionStore {
  create(draft: SessionDraft): Promise<void>;
  find(id: string): Promise<SessionRecord | undefined>;
  select(query: SessionRecordQuery): Promise<readonly SessionRecord[]>;
  count(query?: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  /** Forgets a session and all that is kept of it; `false` when there was none. */
  delete(id: string): Promise<boolean>;
  /** The memory of a session as JSON text; `undefined` when there is none. */
  memory(id: string): Promise<string | undefined>;
  /** The seq of the last event of each session after its write; `undefined` where there is no such session (any more). */
  write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]>;
  /** Events with a greater seq, in order. */
  events(id: string, after: number, limit: number): Promise<readonly StoredSessionEvent[]>;
  /** Forgets all events but the last `keep`. */
  trim(id: string, keep: number): Promise<void>;
  /** Puts a turn behind those that wait, or tells what was said of the same message before. `undefined` when too many wait, or there is no session. */
  queue(turn: TurnDraft): Promise<QueuedTurn | undefined>;
  /** Takes the turn whose time has come, for this process. `undefined` when none waits or one is running. */
  claim(session: string): Promise<TurnRecord | undefined>;
  /** Marks all turns of a session as interrupted, and tells which there were. */
  interrupt(session: string): Promise<readonly string[]>;
  /** Takes over the turns that were claimed by processes that are gone: each is given to one process, once. */
  takeLost(options?: RecoveryOptions): Promise<readonly TurnRecord[]>;
  /** The turns that this process has claimed, and whether they were interrupted since, wherever that was. */
  claimed(): Promise<readonly TurnRecord[]>;
  /** At most so many sessions whose next turn could be claimed; those first whose message has waited longest. */
  waiting(most: number): Promise<readonly string[]>;
}
