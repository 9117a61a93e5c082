import type { Progress } from '../calls/call.ts';
import type { Principal } from '../principal.ts';
import type { ToolClient } from '../calls/call-client.ts';
import type { CallId } from '../identifiers.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { AbortSignalLike } from '../async/light-abort-signal.ts';

/** The context of the call that a handler serves. */
export interface ToolContext {
  readonly callId: CallId;
  /** The session the call belongs to, if any. */
  readonly session: string | undefined;
  readonly principal: Principal;
  /** The caller's view of the catalog; the whole catalog when absent. */
  readonly profile?: string | undefined;
  /** Aborted when the call is cancelled or exceeds its deadline. */
  readonly signal: AbortSignal;
  /** Aborts together with `signal` and costs less; for tools that only pass the signal on. */
  readonly ending?: AbortSignalLike;
  /** The deadline of the call in milliseconds since 1970. Moves later while a question to the caller is open. */
  readonly deadline: number;
  /** Reports progress to the caller. */
  readonly progress: (progress: Progress) => void;
  /** False when no one listens to progress, so that the tool need not request it. */
  readonly isFollowed?: boolean;
  /** The capabilities of the caller: elicitation, sampling, roots, logging. Absent in isolated tools. */
  readonly client?: ToolClient | undefined;
  /** The resources of connected servers that the caller's profile shows. Absent in isolated tools. */
  readonly resources?: ToolResources | undefined;
  /** Values that this server stores for this session; deleted with the session. */
  readonly state: ToolSessionState;
}

/** Resources of connected servers for one call, in the shapes of MCP plus the name of the server. */
export interface ToolResources {
  /** Returns the resources of the servers that are up. */
  list(): readonly (JsonObject & { readonly server: string; readonly uri: string })[];
  /** Returns the resource templates of the servers that are up. */
  templates(): readonly (JsonObject & { readonly server: string; readonly uriTemplate: string })[];
  /** Reads a resource on behalf of the caller: `{ contents: […] }`. The read is recorded, and cancelled with the call. */
  read(server: string, uri: string): Promise<JsonObject>;
}

/** Values that a server stores for one session between calls. Change them with `set`: in calls that can be undone, `get` returns a copy. */
export interface ToolSessionState {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue): void;
  delete(key: string): void;
  keys(): readonly string[];
}
