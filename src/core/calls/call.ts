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

/** Options of a call, besides tool and arguments. */
export interface CallOptions {
  /** The principal that makes the call; by default an agent named `local`. */
  readonly principal?: Principal | undefined;
  /** The session the call belongs to. */
  readonly session?: string | undefined;
  /** The caller's view of the catalog; tools outside it cannot be called. */
  readonly profile?: string | undefined;
  /** Ends the call as `cancelled`. Usually an `AbortSignal`. */
  readonly signal?: AbortSignalLike | undefined;
  /** The deadline of the call: a Date, or milliseconds since 1970. */
  readonly deadline?: Date | number | undefined;
  /** Calls with the same key, tool and principal run once; the others get the first one's outcome. */
  readonly idempotencyKey?: string | undefined;
  /** The definition that the caller saw. The call ends as `stale` when the definition has changed. */
  readonly definitionHash?: string | undefined;
  /** Relaxes or tightens the policy for this call. By default, policy alone decides. */
  readonly permissionMode?: PermissionMode | undefined;
  /** Time to wait for a human's approval before the call ends as `awaiting-approval`. The question stays open. Default: 60 s. */
  readonly waitMs?: number | undefined;
  /** Also asks the caller's own human, in addition to the configured approval channels. */
  readonly approve?: Approve | undefined;
  /** Returns the name under which the caller knows a tool, where its surface renames tools. */
  readonly nameOf?: ((id: ToolId) => string | undefined) | undefined;
  /** Called when the tool reports progress. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Capabilities that the caller offers to the running tool: elicitation, sampling, roots, logging. */
  readonly client?: CallClient | undefined;
}

/** The progress of a call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** The result of a call, as the caller receives it. */
export type CallResult = CallOutcome & {
  readonly callId: CallId;
  /** The rendered name of the tool, or the requested name when there is no such tool. */
  readonly tool: string;
  readonly durationMs: number;
  /** The cost that the tool reported. */
  readonly costUsd?: number;
  /** The decision of the policy; absent when the call ended before the policy was evaluated. */
  readonly decision?: Decision;
  /** The changes in the call's workspace; absent when changes are not tracked. */
  readonly changes?: readonly FileChange[];
  /** The result comes from the cache, and the tool did not run. */
  readonly cached?: true;
};
