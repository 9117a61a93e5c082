import type * as Sdk from '@anthropic-ai/claude-agent-sdk';
import { messageOf } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { ProcessGroup } from '../../../process/process-group.ts';
import type { Runtime, Turn, TurnEvent } from '../../runtime.ts';
import type { ClaudeMessage } from '../shared/claude-message.ts';
import type { ClaudeCodeOptions, ClaudeCodeSettings, HookInput } from '../shared/claude-options.ts';
import { ClaudeTurn } from '../shared/claude-turn.ts';
import { createClaudeRuntime } from '../shared/create-claude-runtime.ts';
import { cliEnvironment } from '../shared/installation.ts';

/**
 * Drives turns with Claude Code through the Claude Agent SDK, which is loaded with the first turn.
 *
 * @example
 * const runtime = claudeRuntime({ model: 'opus' });
 */
export function claudeRuntime(settings: ClaudeCodeSettings = {}): Runtime {
  return createClaudeRuntime('claude', settings, runTurn);
}

/** Runs one turn: starts a query with an open message stream, and handles messages until the result. */
async function runTurn(
  turn: Turn,
  options: ClaudeCodeOptions,
  signal: AbortSignal,
  emit: (event: TurnEvent) => void,
): Promise<void> {
  const claude = new ClaudeTurn(turn, options, signal, emit);
  const sdk = await loadSdk();
  if (sdk instanceof Error) {
    const what = 'the Claude Agent SDK is not installed: run npm install @anthropic-ai/claude-agent-sdk';
    await claude.close({ reason: 'error', error: { code: 'runtime-missing', message: `${what} (${sdk.message})` } });
    return;
  }
  const ending = Promise.withResolvers<void>();
  let group: ProcessGroup | undefined;
  const query = sdk.query({
    prompt: openPrompt(turn.content, ending.promise),
    options: {
      ...queryOptions(turn, options, claude),
      spawnClaudeCodeProcess: (program) => {
        group = startGroup(program);
        claude.watch(group);
        return group.child;
      },
    },
  });
  const listening = listen(query, claude);
  const result = await claude.resultOrInterrupt(() => query.interrupt());
  ending.resolve();
  await group?.stop();
  query.close();
  await listening;
  await claude.close(result);
}

async function loadSdk(): Promise<typeof Sdk | Error> {
  try {
    return await import('@anthropic-ai/claude-agent-sdk');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return error;
    throw error;
  }
}

/** Yields the user's message. Stays open until the turn ends, because Claude Code can only send requests while its input is open. */
async function* openPrompt(content: string, ending: Promise<void>): AsyncGenerator<Sdk.SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  await ending;
}

async function listen(query: Sdk.Query, claude: ClaudeTurn): Promise<void> {
  try {
    for await (const message of query) claude.handle(message as unknown as ClaudeMessage);
    claude.crash('Claude Code ended without a result');
  } catch (error) {
    claude.crash(messageOf(error));
  }
}

/** Starts Claude Code in its own process group, so that none of its child processes outlives the turn. */
function startGroup({ command, args, cwd, env }: Sdk.SpawnOptions): ProcessGroup {
  const defined = omitUndefined(env) as Record<string, string>;
  return new ProcessGroup({ command, args, env: defined, ...omitUndefined({ cwd }) });
}

/** Returns the SDK's options for a turn. Claude Code asks before every tool, because the box decides what may run. */
function queryOptions(
  turn: Turn,
  options: ClaudeCodeOptions,
  { gate, servers, hookMatcher: matcher }: ClaudeTurn,
): Sdk.Options {
  const model = turn.model ?? options.model;
  const { steps, costUsd } = options.limits ?? {};
  const { mcpServers = {}, hooks = {} } = (options.passthrough ?? {}) as Pick<Sdk.Options, 'mcpServers' | 'hooks'>;
  const after = { matcher, hooks: [(input: Sdk.HookInput) => gate.afterTool(input as HookInput)] };
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
    systemPrompt: omitUndefined({ type: 'preset', preset: 'claude_code', append: turn.instructions } as const),
    ...(typeof turn.memory === 'string' ? { resume: turn.memory, forkSession: turn.fork === true } : {}),
    ...omitUndefined({ pathToClaudeCodeExecutable: options.executable, model, maxTurns: steps, maxBudgetUsd: costUsd }),
  };
}
