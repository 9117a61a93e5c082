import type { JsonObject } from '../../../core/json/json.ts';
import type { Turn } from '../../runtime.ts';

/** Options of both Claude runtimes. */
export interface ClaudeCodeOptions {
  /** The executable. Default: `claude` in the PATH, or the one bundled with the Claude Agent SDK. */
  readonly executable?: string;
  /** The model of turns that name none. */
  readonly model?: string;
  /** Additional environment variables. Claude Code inherits only its own variables and a few harmless ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** The settings that Claude Code reads (default: none). */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** Lets Claude search for tools instead of seeing all of them. */
  readonly toolSearch?: boolean;
  readonly limits?: { readonly steps?: number; readonly costUsd?: number };
  /** Servers that Claude connects to directly; from `claudePassthrough`. */
  readonly passthrough?: Passthrough;
  /** The data directory of Signalbox. A search that includes it needs approval. */
  readonly data?: string;
}

/** Options, or a function that returns them for each turn; without a turn when only a transcript is read. */
export type ClaudeCodeSettings =
  | ClaudeCodeOptions
  | ((turn: Pick<Turn, 'session'> | undefined) => Promise<ClaudeCodeOptions>);

/** Servers outside the box, and the hooks that record their calls. Returned by `claudePassthrough`. */
export interface Passthrough {
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly hooks: Readonly<Partial<Record<'PostToolUse' | 'PostToolUseFailure', readonly PassthroughHooks[]>>>;
}

/** Hooks of the Claude Agent SDK, for the tool names that `matcher` matches. */
export interface PassthroughHooks {
  readonly matcher?: string;
  readonly hooks: readonly ((
    input: never,
    toolUseId: string | undefined,
    options: { signal: AbortSignal },
  ) => Promise<object>)[];
}

/** The input of a hook before or after a tool runs. */
export interface HookInput {
  readonly hook_event_name: string;
  readonly tool_name: string;
  readonly tool_input?: unknown;
  readonly tool_use_id: string;
  readonly tool_response?: unknown;
  readonly error?: string;
  readonly is_interrupt?: boolean;
  readonly mcp_server?: ServerOrigin;
}

/** The server of a tool, and where its configuration comes from. */
export interface ServerOrigin {
  readonly name: string;
  readonly source: string;
}

/** The request for permission to run a tool. */
export interface PermissionRequest {
  readonly toolName: string;
  readonly input: JsonObject;
  readonly toolUseId: string;
  readonly server: ServerOrigin | undefined;
  readonly signal: AbortSignal;
}

export type Permission =
  | { readonly behavior: 'allow'; readonly updatedInput: JsonObject }
  | { readonly behavior: 'deny'; readonly message: string };
