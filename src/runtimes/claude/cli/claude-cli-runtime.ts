import { messageOf } from '../../../core/errors.ts';
import { describeExit, explainStart } from '../../../process/explain-process.ts';
import { type ProgramOptions, ProcessGroup } from '../../../process/process-group.ts';
import type { Runtime, Turn, TurnEvent } from '../../runtime.ts';
import type { ClaudeMessage } from '../shared/claude-message.ts';
import type { ClaudeCodeOptions, ClaudeCodeSettings } from '../shared/claude-options.ts';
import { ClaudeTurn } from '../shared/claude-turn.ts';
import { cliEnvironment, findExecutable } from '../shared/installation.ts';
import { createClaudeRuntime } from '../shared/create-claude-runtime.ts';
import { ControlChannel } from './control-channel.ts';
import { HookCallbacks, answerControlRequest } from './control-requests.ts';

/**
 * Drives turns with Claude Code by its control protocol, without the Claude Agent SDK.
 *
 * @example
 * const runtime = claudeCliRuntime({ executable: '/usr/local/bin/claude' });
 */
export function claudeCliRuntime(settings: ClaudeCodeSettings = {}): Runtime {
  return createClaudeRuntime('claude-cli', settings, runTurn);
}

const maxFrameBytes = 64 * 1024 * 1024;

/** Runs one turn: starts the CLI, registers servers and hooks, sends the user's message, and handles messages until the result. */
async function runTurn(
  turn: Turn,
  options: ClaudeCodeOptions,
  signal: AbortSignal,
  emit: (event: TurnEvent) => void,
): Promise<void> {
  const claude = new ClaudeTurn(turn, options, signal, emit);
  const command = options.executable ?? findExecutable();
  if (command === undefined) {
    const message =
      'Claude Code is not installed: put `claude` on the PATH, or run npm install @anthropic-ai/claude-agent-sdk';
    await claude.close({ reason: 'error', error: { code: 'runtime-missing', message } });
    return;
  }
  const program = { command, args: cliArguments(turn, options), env: cliEnvironment(options.env), cwd: turn.cwd };
  const group = new ProcessGroup(program);
  const hooks = new HookCallbacks(claude, options.passthrough);
  const channel = connect(group, program, claude, hooks);
  begin(channel, hooks, claude, turn).catch((error: unknown) => claude.fail('runtime-failed', messageOf(error)));
  const result = await claude.resultOrInterrupt(() => channel.request({ subtype: 'interrupt' }));
  // Stopping closes its input. Until then it can send control requests.
  await group.stop();
  channel.close('the turn is over');
  await claude.close(result);
}

/** Initializes the CLI, and sends the user's message. */
async function begin(channel: ControlChannel, hooks: HookCallbacks, claude: ClaudeTurn, turn: Turn): Promise<void> {
  const servers = [...claude.servers.values()];
  await channel.request({
    subtype: 'initialize',
    hooks: hooks.registration,
    sdkMcpServers: servers.map(({ name }) => name),
    sdkMcpServerManifests: Object.fromEntries(servers.map(({ name, manifest }) => [name, manifest])),
    ...(turn.instructions === undefined ? {} : { appendSystemPrompt: turn.instructions }),
  });
  channel.send({ type: 'user', message: { role: 'user', content: turn.content }, parent_tool_use_id: null });
}

/** Connects the turn to the process. The turn fails when the process exits before its result. */
function connect(
  group: ProcessGroup,
  program: ProgramOptions,
  claude: ClaudeTurn,
  hooks: HookCallbacks,
): ControlChannel {
  const { child } = group;
  const channel = new ControlChannel({
    maxFrameBytes,
    write: (line) => child.stdin.write(line),
    onMessage: (message) => claude.handle(message as unknown as ClaudeMessage),
    onRequest: (request, signal) => answerControlRequest(request, claude, hooks, signal),
    onBroken(why) {
      claude.errorLines.add(`(skipped a frame: ${why})`);
      process.emitWarning(`skipped a frame of Claude Code: ${why}`, { type: 'SignalboxWarning' });
    },
    onTooLarge: () => claude.fail('runtime-failed', `Claude Code sent a frame of more than ${maxFrameBytes} bytes`),
  });
  const crashed = (why: string): void => {
    channel.close(why);
    claude.crash(`Claude Code ended too early: ${why}`);
  };
  child.stdout.on('data', (chunk: Buffer) => channel.read(chunk));
  claude.watch(group);
  child.once('error', (error) => crashed(explainStart(program, error)));
  // `close` comes after the last output, unlike `exit`.
  child.once('close', (code, signal) => crashed(describeExit(code, signal)));
  return channel;
}

/** Returns the arguments of the CLI for a turn. Claude Code asks before every tool, because the box decides what may run. */
function cliArguments(
  { model, memory, fork }: Pick<Turn, 'model' | 'memory' | 'fork'>,
  options: ClaudeCodeOptions,
): string[] {
  const chosen = model ?? options.model;
  const { steps, costUsd } = options.limits ?? {};
  const servers = options.passthrough?.mcpServers ?? {};
  return [
    '--output-format',
    'stream-json',
    '--verbose',
    '--input-format',
    'stream-json',
    ...(steps === undefined ? [] : [`--max-turns=${steps}`]),
    ...(costUsd === undefined ? [] : [`--max-budget-usd=${costUsd}`]),
    ...(chosen === undefined ? [] : [`--model=${chosen}`]),
    '--permission-prompt-tool=stdio',
    ...(typeof memory === 'string' ? [`--resume=${memory}`] : []),
    ...(Object.keys(servers).length === 0 ? [] : ['--mcp-config', JSON.stringify({ mcpServers: servers })]),
    `--setting-sources=${(options.settingSources ?? []).join(',')}`,
    '--strict-mcp-config',
    '--permission-mode=default',
    '--include-partial-messages',
    ...(fork === true && typeof memory === 'string' ? ['--fork-session'] : []),
  ];
}
