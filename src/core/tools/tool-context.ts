import type { Progress } from '../calls/call.ts';
import type { Principal } from '../principal.ts';
import type { ToolClient } from '../calls/call-client.ts';
import type { CallId } from '../identifiers.ts';
import type { JsonObject, JsonValue } from '../json/json.ts';
import type { AbortSignalLike } from '../async/light-abort-signal.ts';

/** What a handler is told about the call it serves. Anything else it needs, it closes over. */
export interface ToolContext {
  readonly callId: CallId;
  /** The session the call belongs to, if any. */
  readonly session: string | undefined;
  readonly principal: Principal;
  /** The view of the catalog that the caller has; all of it when absent. */
  readonly profile?: string | undefined;
  /** Aborted when the call is cancelled or out of time. */
  readonly signal: AbortSignal;
  /** The same at less cost, for tools that only pass it on. */
  readonly ending?: AbortSignalLike;
  /** When the call runs out of time, in milliseconds since 1970. Moves on while its caller is asked something. */
  readonly deadline: number;
  /** Reports progress to whoever made the call. */
  readonly progress: (progress: Progress) => void;
  /** False when nobody hears of progress, and it need not be found out. */
  readonly isFollowed?: boolean;
  /** Whoever made the call, to be asked and told something as far as it can be. Absent in isolated tools. */
  readonly client?: ToolClient | undefined;
  /** The resources of connected servers, as far as the caller's profile shows them. Absent in isolated tools. */
  readonly resources?: ToolResources | undefined;
  /** What this server remembers about this session; gone with the session. */
  readonly state: SessionState;
}

/** Resources of connected servers for one call. The shapes are MCP's, each with the server that has it. */
export interface ToolResources {
  /** Returns the resources of the servers that are up. */
  list(): readonly (JsonObject & { readonly server: string; readonly uri: string })[];
  /** Returns the resource templates of the servers that are up. */
  templates(): readonly (JsonObject & { readonly server: string; readonly uriTemplate: string })[];
  /** Reads a resource in the caller's name: `{ contents: […] }`. Recorded, and cancelled with the call. */
  read(server: string, uri: string): Promise<JsonObject>;
}

/** Values a server keeps for one session between calls. Change them with `set`: in calls that can be undone, `get` gives a copy. */
export interface SessionState {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue): void;
  delete(key: string): void;
  keys(): readonly string[];
}
