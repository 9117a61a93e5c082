import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import type { ApproveOptions, DenyOptions } from '../pipeline/approvals/approval-inbox.ts';
import type { TranscriptMessage } from '../runtimes/runtime.ts';
import type { SessionEvent, TurnReason } from './events/session-event.ts';
import type { PendingElicitation } from './turns/turn-elicitations.ts';

/** An agent that sessions can be held with. */
export interface AgentSummary {
  readonly name: string;
  readonly runtime: string;
  readonly model?: string;
  readonly isDefault: boolean;
}

/** Selects the approval to answer. Only needed when a model gave several waiting calls the same id. */
export interface ApprovalSelector {
  readonly approvalId?: string;
}

/** Conversations with agents. Methods reject with `session-unknown` when no session has the id. */
export interface Sessions {
  agents(): readonly AgentSummary[];
  /** Creates a session. When an agent creates it without a mode, the mode is `default`, even if the configuration sets a freer one. */
  create(request: NewSession, owner: Principal): Promise<Session>;
  /** Returns a page of sessions, most recently active first. */
  list(query?: SessionQuery): Promise<SessionPage>;
  /** Counts sessions, optionally of one directory or owner. */
  count(query?: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  get(id: string): Promise<Session>;
  change(id: string, change: SessionChange): Promise<Session>;
  /** Interrupts the session and deletes it with its events. The journal entries of its calls stay. */
  delete(id: string): Promise<void>;
  /** Creates a session that continues from the current state of this one, which stays unchanged. */
  fork(id: string, owner: Principal): Promise<Session>;
  transcript(id: string): Promise<readonly TranscriptMessage[]>;
  /** Queues a message. Its turn runs after the turns before it have ended. */
  send(id: string, content: string, by: Principal, options?: SendOptions): Promise<SentMessage>;
  /** Interrupts the running turn and removes the queued ones. Resolves with `false` when there was no turn. */
  interrupt(id: string): Promise<boolean>;
  /** Approves the call that waits under the model's tool call id. Rejects with `approval-unknown` or `approval-answered`. */
  approve(id: string, toolCallId: string, how: ApproveOptions & ApprovalSelector): Promise<void>;
  deny(id: string, toolCallId: string, how: DenyOptions & ApprovalSelector): Promise<void>;
  /** Answers an agent's question. Rejects with `question-unknown` or `question-answered`. */
  answer(id: string, toolCallId: string, answers: JsonObject, by: Principal): Promise<void>;
  /** Returns the questions of servers that wait for an answer in any session, oldest first. */
  elicitations(): Promise<readonly PendingElicitation[]>;
  /**
   * Answers a server's question with `{ action: "accept" | "decline" | "cancel", content? }`. Rejects with
   * `elicitation-unknown`, with `elicitation-closed` when it no longer waits, and with `elicitation-invalid` when the content
   * does not match the requested schema.
   */
  answerElicitation(id: string, elicitationId: string, answer: JsonObject, by: Principal): Promise<void>;
  /**
   * Yields the events of a session without gaps or duplicates: those after `after`, or without it those since the start of the
   * running or last turn. Ends when the signal is aborted, the session is deleted, or `close` is called.
   */
  events(id: string, options: EventOptions): AsyncIterable<SessionEvent>;
  /** Calls the listener with every new event of every session. Returns a function that unsubscribes. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
  /** Accepts no more messages, waits up to `graceMs` for running turns, then interrupts them. Queued messages run after the next start. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Options of a message. */
export interface SendOptions {
  /** A repeated message with the same key and sender within a day starts no second turn. */
  readonly idempotencyKey?: string;
}

/** Filters of a list of sessions. */
export interface SessionQuery {
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
  readonly cwd?: string;
  readonly owner?: string;
  /** Only sessions with a running or queued turn. */
  readonly active?: boolean;
}

/** One page of sessions; `next` is the `after` of the following page. */
export interface SessionPage {
  readonly items: readonly Session[];
  readonly next?: string;
}

/** The start of a stream of events, and the signal that ends it. */
export interface EventOptions {
  readonly after?: number;
  readonly signal: AbortSignal;
}

/**
 * The state of a session: `waiting` for a human's approval or answer in a turn, `expired` after a long idle time, when its
 * tool state was released from memory (the next message resumes it).
 */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'expired';

/** One conversation with an agent. */
export interface Session {
  readonly id: string;
  /** The agent's name in the configuration. */
  readonly agent: string;
  /** The runtime of its turns: `claude`, `claude-cli` or `model`. */
  readonly runtime: string;
  readonly model?: string;
  readonly title: string;
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  readonly state: SessionStatus;
  /** The principal that created the session. */
  readonly owner: Principal;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly activeAt: string;
  /** The session it was forked from. */
  readonly forkedFrom?: string;
  /** The number of queued turns. */
  readonly queued: number;
  /** The sequence number of the last event. Pass it as `after` to receive only new events. */
  readonly lastSeq: number;
  /** The reason why the last turn ended; absent before the first turn has ended. */
  readonly lastTurn?: TurnReason;
}

/** The properties of a new session. All have defaults. */
export interface NewSession {
  readonly agent?: string;
  readonly cwd?: string;
  readonly permissionMode?: PermissionMode;
  readonly title?: string;
}

/** The changeable properties of a session. Changes do not affect a running turn. */
export interface SessionChange {
  readonly title?: string;
  readonly permissionMode?: PermissionMode;
}

/** A queued message. */
export interface SentMessage {
  readonly turnId: string;
  /** All events of the turn have a greater `seq`. */
  readonly afterSeq: number;
  /** The number of turns before this one. */
  readonly position: number;
  /** The message contained registered secrets. They were replaced before the message was stored and sent to the model. */
  readonly redacted?: true;
}
