import type { HookInput as SdkHookInput, Options } from '@anthropic-ai/claude-agent-sdk';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ClaudeCodeOptions, HookInput } from '../shared/claude-options.ts';
import type { ClaudeTurn } from '../shared/claude-turn.ts';
import { cliEnvironment } from '../shared/installation.ts';
import type { Turn } from '../../runtime.ts';

/** Returns the SDK's options for a turn. Claude Code asks before every tool, because the box decides what may run. */
export function queryOptions(
  turn: Turn,
  options: ClaudeCodeOptions,
  { gate, servers, hookMatcher: matcher }: ClaudeTurn,
): Options {
  const model = turn.model ?? options.model;
  const { steps, costUsd } = options.limits ?? {};
  const { mcpServers = {}, hooks = {} } = (options.passthrough ?? {}) as Pick<Options, 'mcpServers' | 'hooks'>;
  const after = { matcher, hooks: [(input: SdkHookInput) => gate.afterTool(input as HookInput)] };
  return {
    cwd: turn.cwd,
    env: cliEnvironment(options.env),
    settingSources: [...(options.settingSources ?? [])],
    strictMcpConfig: true,
    permissionMode: 'default',
    includePartialMessages: true,
    mcpServers: {
      ...mcpServers,
      ...Object.fromEntries([...servers.values()].map((server) => [server.name, server.toSdkConfig()])),
    },
    canUseTool: async (toolName, input, { toolUseID, mcpServer, signal }) => {
      const request = { toolName, input: input as JsonObject, toolUseId: toolUseID, server: mcpServer, signal };
      return { ...(await gate.permit(request)) };
    },
    hooks: {
      // A failed hook must not let the tool run.
      PreToolUse: [
        { matcher, hooks: [(input) => Promise.resolve(gate.beforeTool(input as HookInput))], onFailure: 'block' },
      ],
      PostToolUse: [after, ...(hooks.PostToolUse ?? [])],
      PostToolUseFailure: [after, ...(hooks.PostToolUseFailure ?? [])],
    },
    // Without a preset, the SDK removes Claude Code's own instructions.
    systemPrompt: {
      type: 'preset',
      preset: 'claude_code',
      ...(turn.instructions === undefined ? {} : { append: turn.instructions }),
    },
    ...(typeof turn.memory === 'string' ? { resume: turn.memory, forkSession: turn.fork === true } : {}),
    ...(options.executable === undefined ? {} : { pathToClaudeCodeExecutable: options.executable }),
    ...(model === undefined ? {} : { model }),
    ...(steps === undefined ? {} : { maxTurns: steps }),
    ...(costUsd === undefined ? {} : { maxBudgetUsd: costUsd }),
  };
}
