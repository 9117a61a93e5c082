import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { Principal } from '../core/principal.ts';
import type { TurnReason } from './session-event.ts';

/**
 * What a session does now: `waiting` for a human's approval or answer in a turn, `expired` when it was idle for so long that
 * nothing of it is kept in memory (the next message takes it up again).
 */
export type SessionState = 'idle' | 'running' | 'waiting' | 'expired';

/** One conversation with an agent. */
export interface Session {
  readonly id: string;
  /** The agent's name in the configuration. */
  readonly agent: string;
  /** What drives its turns: `claude`, `claude-cli` or `model`. */
  readonly runtime: string;
  readonly model?: string;
  readonly title: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly state: SessionState;
  /** Who made it. */
  readonly owner: Principal;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly activeAt: string;
  /** The session it was forked from. */
  readonly forkedFrom?: string;
  /** Turns that wait for the one that runs. */
  readonly queued: number;
  /** The last event; `events` with `after` this tells only what comes. */
  readonly lastSeq: number;
  /** Why the last turn ended; absent before the first has. */
  readonly lastTurn?: TurnReason;
}

/** What a new session is to be; everything has a default. */
export interface NewSession {
  readonly agent?: string;
  readonly cwd?: string;
  readonly permissionMode?: PermissionMode;
  readonly title?: string;
}

/** What can be changed of a session. A running turn goes on as it began. */
export interface SessionChange {
  readonly title?: string;
  readonly permissionMode?: PermissionMode;
}

/** A message that was taken. */
export interface SentMessage {
  readonly turnId: string;
  /** Events of the turn have a greater seq. */
  readonly afterSeq: number;
  /** Turns before it. */
  readonly position: number;
  /** Registered secrets were in it: what stands in their place is what is kept, told and given to the model. */
  readonly redacted?: true;
}
