import type {
  HookCallback,
  HookCallbackMatcher,
  McpHttpServerConfig,
  McpSSEServerConfig,
  McpStdioServerConfig,
} from '@anthropic-ai/claude-agent-sdk';
import type { ObservedCall } from '../../pipeline/recording/call-entries.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import { type ContentBlock, text } from '../../core/tools/content.ts';

/** A server that Claude connects to directly, without Signalbox. */
export interface PassthroughServer {
  readonly config: McpStdioServerConfig | McpHttpServerConfig | McpSSEServerConfig;
  /** Whether its calls are recorded (default `true`). */
  readonly trackInvocations?: boolean;
}

/** The part of a Signalbox that records calls. */
export interface CallRecorder {
  readonly journal: { record(call: ObservedCall): Promise<void> };
}

/** The part of the Claude Agent SDK's options that lets Claude use the servers directly. */
export interface PassthroughOptions {
  readonly mcpServers: Record<string, PassthroughServer['config']>;
  readonly hooks: Partial<Record<'PostToolUse' | 'PostToolUseFailure', HookCallbackMatcher[]>>;
}

/**
 * Gives servers to Claude directly, and records their calls. These calls are not decided or approved, and cannot be undone. To control them,
 * add the server to a box instead.
 *
 * @example
 * query({ prompt, options: claudePassthrough(box, { docs: { config: { type: 'http', url: 'https://docs.example/mcp' } } }) });
 */
export function claudePassthrough(
  recorder: CallRecorder,
  servers: Readonly<Record<string, PassthroughServer>>,
): PassthroughOptions {
  const tracked = Object.keys(servers).filter((name) => servers[name]?.trackInvocations !== false);
  const mcpServers = Object.fromEntries(Object.entries(servers).map(([name, { config }]) => [name, config]));
  if (tracked.length === 0) return { mcpServers, hooks: {} };
  const matcher = `mcp__(${tracked.join('|')})__.*`;
  const hooks = [observe(recorder, new Set(tracked))];
  return { mcpServers, hooks: { PostToolUse: [{ matcher, hooks }], PostToolUseFailure: [{ matcher, hooks }] } };
}

/** Returns a hook that records calls after they have ended, without changing them. */
function observe(recorder: CallRecorder, tracked: ReadonlySet<string>): HookCallback {
  return async (input) => {
    if (input.hook_event_name !== 'PostToolUse' && input.hook_event_name !== 'PostToolUseFailure') return {};
    const server = input.mcp_server?.name ?? /^mcp__(.+?)__/.exec(input.tool_name)?.[1] ?? '';
    if (!tracked.has(server)) return {};
    await recorder.journal.record({
      tool: input.tool_name,
      server,
      adapter: `mcp:${server}`,
      principal: { id: 'claude', kind: 'agent' },
      session: input.session_id,
      arguments: input.tool_input,
      outcome:
        input.hook_event_name === 'PostToolUse' ? completed(input.tool_response) : failed(input.tool_name, input),
      durationMs: input.duration_ms ?? 0,
    });
    return {};
  };
}

function completed(response: unknown): CallOutcome {
  return { outcome: 'completed', content: contentOf(response) };
}

function contentOf(response: unknown): readonly ContentBlock[] {
  if (typeof response === 'string') return [text(response)];
  if (Array.isArray(response)) return response as readonly ContentBlock[];
  return [text(JSON.stringify(response ?? null))];
}

function failed(tool: string, { error, is_interrupt }: { error: string; is_interrupt?: boolean }): CallOutcome {
  return is_interrupt === true
    ? {
        outcome: 'cancelled',
        error: { code: 'caller-cancelled', message: `${tool} was interrupted: ${error}` },
        content: [text(error)],
      }
    : { outcome: 'failed', error: { code: 'tool-failed', message: error }, content: [text(error)] };
}
