import type { Approve } from './approval.ts';
import type { CallClient } from './call-client.ts';
import type { FileChange } from './file-change.ts';
import type { Decision } from './decision.ts';
import type { CallId } from '../identifiers.ts';
import type { PermissionMode } from './permission-mode.ts';
import type { Principal } from '../principal.ts';
import type { AbortSignalLike } from '../async/light-abort-signal.ts';
import type { ToolId } from '../tools/tool.ts';
import type { CallOutcome } from './call-outcome.ts';

/** A tool by its rendered name or by its identity. */
export type ToolReference = string | ToolId;

/** What a caller may say about a call besides tool and arguments. */
export interface CallOptions {
  /** Who asks; an agent named `local` unless said otherwise. */
  readonly principal?: Principal | undefined;
  /** The session the call belongs to. */
  readonly session?: string | undefined;
  /** The view of the catalog that the caller has; what is not in it cannot be called. */
  readonly profile?: string | undefined;
  /** Ends the call as `cancelled`: an `AbortSignal`, usually. */
  readonly signal?: AbortSignalLike | undefined;
  /** When the call must have ended: a Date, or milliseconds since 1970. */
  readonly deadline?: Date | number | undefined;
  /** Calls with the same key, tool and principal run once; the others get the first one's outcome. */
  readonly idempotencyKey?: string | undefined;
  /** The definition the caller saw; another one now makes the call `stale`. */
  readonly definitionHash?: string | undefined;
  /** How freely the agent may act; by policy alone unless said otherwise. */
  readonly permissionMode?: PermissionMode | undefined;
  /** How long to wait for a human's approval (60 s) before the call ends as `awaiting-approval`; the question stays. */
  readonly waitMs?: number | undefined;
  /** Asks the caller's own human too, besides everybody else who is asked. */
  readonly approve?: Approve | undefined;
  /** Returns the name under which the caller knows a tool, where its surface renames tools. */
  readonly nameOf?: ((id: ToolId) => string | undefined) | undefined;
  /** Told whenever the tool reports progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** What the caller can do for the tool while it runs: answer questions, ask a model, name directories, take messages. */
  readonly client?: CallClient | undefined;
}

/** How far a call has come. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What the caller gets back. */
export type CallResult = CallOutcome & {
  readonly callId: CallId;
  /** The rendered name of the tool, or what the caller asked for when there is no such tool. */
  readonly tool: string;
  readonly durationMs: number;
  /** What the tool says the call cost. */
  readonly costUsd?: number;
  /** What policy said; absent when the call ended before it was asked. */
  readonly decision?: Decision;
  /** What it changed in its workspace; absent where nobody looks. */
  readonly changes?: readonly FileChange[];
  /** The result is one that was given out before, and the tool did not run. */
  readonly cached?: true;
};
