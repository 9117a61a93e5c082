import type * as Sdk from '@anthropic-ai/claude-agent-sdk';
import { messageOf } from '../../../core/errors.ts';
import { ProcessGroup } from '../../../process/process-group.ts';
import { RecentLines } from '../../../process/recent-lines.ts';
import type { Runtime, Turn, TurnEvent } from '../../runtime.ts';
import type { ClaudeMessage } from '../shared/claude-message.ts';
import type { ClaudeCodeOptions, ClaudeCodeSettings } from '../shared/claude-options.ts';
import { ClaudeTurn } from '../shared/claude-turn.ts';
import { createClaudeRuntime, resultOrInterrupt } from '../shared/create-claude-runtime.ts';
import { queryOptions } from './query-options.ts';

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
    await claude.close('error', { code: 'runtime-missing', message: `${what} (${sdk.message})` });
    return;
  }
  const ending = Promise.withResolvers<void>();
  const lines = new RecentLines();
  let group: ProcessGroup | undefined;
  const query = sdk.query({
    prompt: openPrompt(turn.content, ending.promise),
    options: {
      ...queryOptions(turn, options, claude),
      spawnClaudeCodeProcess: (program) => {
        group = startGroup(program, lines);
        return group.child;
      },
    },
  });
  const listening = listen(query, claude, lines);
  const ended = await resultOrInterrupt(claude.result, signal, () => query.interrupt());
  ending.resolve();
  await group?.stop();
  query.close();
  await listening;
  if (ended === 'interrupted') await claude.close('interrupted');
  else await claude.close(ended.reason, ended.error);
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

async function listen(query: Sdk.Query, claude: ClaudeTurn, lines: RecentLines): Promise<void> {
  const last = (): string =>
    lines
      .all()
      .slice(-5)
      .map((line) => `\n${line}`)
      .join('');
  try {
    for await (const message of query) claude.handle(message as unknown as ClaudeMessage);
    claude.fail('runtime-failed', `Claude Code ended without a result${last()}`);
  } catch (error) {
    claude.fail('runtime-failed', `${messageOf(error)}${last()}`);
  }
}

/** Starts Claude Code in its own process group, so that none of its child processes outlives the turn. */
function startGroup({ command, args, cwd, env }: Sdk.SpawnOptions, lines: RecentLines): ProcessGroup {
  const named = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const group = new ProcessGroup({
    command,
    args,
    env: Object.fromEntries(named),
    ...(cwd === undefined ? {} : { cwd }),
  });
  group.child.stderr.setEncoding('utf8').on('data', (piece: string) => lines.write(piece));
  for (const stream of [group.child.stdin, group.child.stdout, group.child.stderr]) stream.on('error', () => undefined);
  return group;
}
