import type { Approving, Denying } from '../pipeline/approvals/approval-inbox.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import type { TranscriptMessage } from '../runtimes/runtime.ts';
import type { PendingElicitation } from './pending-elicitations.ts';
import type { SessionEvent } from './session-event.ts';
import type { NewSession, SentMessage, Session, SessionChange } from './session.ts';

/** An agent that sessions can be held with. */
export interface AgentSummary {
  readonly name: string;
  readonly runtime: string;
  readonly model?: string;
  readonly isDefault: boolean;
}

/** Which approval an answer is to. Needed only where a model gave several calls that wait the same id. */
export interface ApprovalSelector {
  readonly approvalId?: string;
}

/** Conversations with agents. Rejects with `session-unknown` where there is no session of that id. */
export interface Sessions {
  agents(): readonly AgentSummary[];
  /** Where the request names no mode, the session of an agent is not freer than policy alone, also where the configuration lets it be. */
  create(request: NewSession, owner: Principal): Promise<Session>;
  /** Last active first. */
  list(query?: SessionQuery): Promise<SessionPage>;
  /** How many there are, in all or of one directory. */
  count(query?: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  get(id: string): Promise<Session>;
  change(id: string, change: SessionChange): Promise<Session>;
  /** Interrupts what runs, and forgets the session and its events. What its calls left in the journal stays. */
  delete(id: string): Promise<void>;
  /** A new session that goes on from where this one is, without changing it. */
  fork(id: string, owner: Principal): Promise<Session>;
  transcript(id: string): Promise<readonly TranscriptMessage[]>;
  /** Takes a message; its turn runs when those before it have ended. */
  send(id: string, content: string, by: Principal, options?: SendOptions): Promise<SentMessage>;
  /** Interrupts the turn that runs and takes back those that wait; `false` when there was nothing to interrupt. */
  interrupt(id: string): Promise<boolean>;
  /** Says yes to the call that waits under the model's id of it. Rejects with `approval-unknown` or `approval-answered`. */
  approve(id: string, toolCallId: string, how: Approving & ApprovalSelector): Promise<void>;
  deny(id: string, toolCallId: string, how: Denying & ApprovalSelector): Promise<void>;
  /** Answers an agent's question. Rejects with `question-unknown` or `question-answered`. */
  answer(id: string, toolCallId: string, answers: JsonObject, by: Principal): Promise<void>;
  /** The questions of servers that wait for an answer in any session, the oldest first. */
  elicitations(): Promise<readonly PendingElicitation[]>;
  /**
   * Answers a server's question with `{ action: "accept" | "decline" | "cancel", content? }`. Rejects with
   * `elicitation-unknown`, with `elicitation-closed` when it no longer waits, and with `elicitation-invalid` when the content
   * does not fit the requested schema.
   */
  answerElicitation(id: string, elicitationId: string, answer: JsonObject, by: Principal): Promise<void>;
  /**
   * What happens in a session, without gap or duplicate: from `after` on, or, without it, what the running turn (or the last
   * one) told so far and then what comes. Ends with the signal, with the session, and with `close`.
   */
  events(id: string, options: EventOptions): AsyncIterable<SessionEvent>;
  /** Tells of every event of every session from now on; returns how to stop. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
  /** Takes no more messages, lets running turns end for `graceMs`, interrupts the rest. Messages that wait stay for the next start. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface SendOptions {
  /** A message of the same sender that comes again with the same key within a day begins no second turn. */
  readonly idempotencyKey?: string;
}

export interface SessionQuery {
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
  readonly cwd?: string;
  readonly owner?: string;
  /** Only those with a turn that runs or waits. */
  readonly active?: boolean;
}

export interface SessionPage {
  readonly items: readonly Session[];
  readonly next?: string;
}

export interface EventOptions {
  readonly after?: number;
  readonly signal: AbortSignal;
}
