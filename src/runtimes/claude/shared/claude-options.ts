import type { JsonObject } from '../../../core/json/json.ts';
import type { Turn } from '../../runtime.ts';

/** What both runtimes of Claude Code can be told. */
export interface ClaudeCodeOptions {
  /** The program; otherwise `claude` on the PATH, or the one that the Claude Agent SDK brings along. */
  readonly executable?: string;
  /** The model where a turn names none. */
  readonly model?: string;
  /** Variables for Claude Code besides its own and a few harmless ones. The rest of our environment is not handed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whose settings Claude Code reads: none, unless named. */
  readonly settingSources?: readonly ('user' | 'project' | 'local')[];
  /** Lets Claude search for tools instead of showing it all of them. */
  readonly toolSearch?: boolean;
  readonly limits?: { readonly steps?: number; readonly costUsd?: number };
  /** Servers that Claude reaches by itself, made by `claudePassthrough`. */
  readonly passthrough?: Passthrough;
  /** The data directory of Signalbox. A search that would look into it is asked about. */
  readonly data?: string;
}

/** What it is told, or how to find that out: for each turn anew, and without one where only a transcript is read. */
export type ClaudeCodeSettings =
  | ClaudeCodeOptions
  | ((turn: Pick<Turn, 'session'> | undefined) => Promise<ClaudeCodeOptions>);

/** Servers past the box, and who looks on: what `claudePassthrough` returns. */
export interface Passthrough {
  readonly mcpServers: Readonly<Record<string, object>>;
  readonly hooks: Readonly<Partial<Record<'PostToolUse' | 'PostToolUseFailure', readonly PassthroughHooks[]>>>;
}

export interface PassthroughHooks {
  readonly matcher?: string;
  readonly hooks: readonly ((
    input: never,
    toolUseId: string | undefined,
    options: { signal: AbortSignal },
  ) => Promise<object>)[];
}

/** What Claude Code says before and after a tool runs. */
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

/** Which server a tool belongs to, and who named that server. */
export interface ServerOrigin {
  readonly name: string;
  readonly source: string;
}

/** What Claude Code asks before a tool runs. */
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
