import type { Command } from 'commander';
import type { ApprovalAnswer, ApprovalRequest } from '../core/calls/approval.ts';
import type { CallOptions, CallResult } from '../core/calls/call.ts';
import type { Principal } from '../core/principal.ts';
import type { CallClient } from '../core/calls/call-client.ts';
import { renderContent } from '../core/tools/content.ts';
import { askOnTerminal } from './ask-on-terminal.ts';
import { awaitTool } from './await-tool.ts';
import { type CallTime, formatCallTime, readCallTime } from './call-time.ts';
import { changeLines } from './change-lines.ts';
import type { CommandContext } from './command-context.ts';
import { parseDuration } from './duration.ts';
import { type Globals, globalsOf } from './globals.ts';
import { Interruption } from './interruption.ts';
import { runnable } from './invocation.ts';
import { loadHost } from '../host/load-host.ts';
import { localUser } from '../access/local-user.ts';
import { nextStep } from './next-step.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { ProgressLine } from './progress-line.ts';
import { readArguments } from './read-arguments.ts';
import { resolveTool } from './resolve-tool.ts';
import { callAtServer, catalogWithTool } from './server/call-at-server.ts';
import { type ConnectedServer, connectToServer } from './server/connect.ts';
import { tellWarnings } from './tell-warnings.ts';
import { terminalClient } from './terminal-client.ts';
import type { Terminal } from './terminal.ts';

/** How long to wait for the server of a tool: its first start may have to download it. */
const maxServerWaitMs = 30_000;

interface Options {
  readonly as?: string;
  readonly session?: string;
  readonly key?: string;
  readonly timeout?: number;
  readonly wait?: number;
}

/** `signalbox call`: one call through the whole pipeline. */
export function addCallCommand(program: Command, { terminal, exitWith }: CommandContext): void {
  program
    .command('call')
    .summary('call a tool through the whole pipeline')
    .description(
      'Calls one tool through the pipeline, in the running server or, without one, from the configuration. A call that needs approval asks on the terminal. Without a terminal it ends as awaiting-approval; approve it with signalbox approve, then run the same command again. A call without --session belongs to no session, so an undoable call asks each time.',
    )
    .argument('<tool>', 'mcp__server__tool, server/tool, or the tool’s own name if it is unique')
    .argument('[json]', 'the arguments as a JSON object, or - to read them from standard input')
    .option('--as <principal>', 'call as an agent with this name (default: as yourself)')
    .option('--session <id>', 'the session the call belongs to')
    .option('--key <idempotency>', 'calls with the same key, tool and principal run once')
    .option('--timeout <duration>', 'the time limit, for example 30s', parseDuration)
    .option('--wait <duration>', 'how long to wait for an approval from somewhere else, for example 5m', parseDuration)
    .addHelpText('after', examples)
    .action(async (tool: string, json: string | undefined, options: Options, command: Command) => {
      const globals = globalsOf(command);
      const args = await readArguments(json, terminal.input);
      const server = await connectToServer(globals, terminal.errors);
      const interruption = new Interruption();
      const progress = new ProgressLine(terminal.errors);
      const ask = askOnTerminal(terminal, () => interruption.interrupt());
      const call: CommandCall = {
        tool,
        args,
        options,
        terminal,
        progress,
        signal: interruption.signal,
        client: terminalClient(terminal, progress, () => interruption.interrupt()),
        ...(terminal.canAsk ? { approve: (request) => progress.pauseFor(async () => await ask(request)) } : {}),
      };
      try {
        const { result, time } = await (server === undefined
          ? callLocally(globals, call)
          : callAtRunningServer(server, call));
        if (globals.json) await printJson(terminal.output, { ...result, ...time });
        else await printResult(terminal, result, time);
        if (result.outcome !== 'completed') exitWith(1);
      } finally {
        interruption.stop();
      }
    });
}

/** A call to make, in this process or at the running server. */
interface CommandCall {
  readonly tool: string;
  readonly args: unknown;
  readonly options: Options;
  readonly terminal: Terminal;
  readonly progress: ProgressLine;
  readonly signal: AbortSignal;
  readonly client: CallClient;
  /** Asks the person at the terminal; absent without a terminal. */
  readonly approve?: (request: ApprovalRequest) => Promise<ApprovalAnswer>;
}

interface TimedResult {
  readonly result: CallResult;
  readonly time: CallTime;
}

/** Makes the call in this process, from the configuration. */
async function callLocally(globals: Globals, call: CommandCall): Promise<TimedResult> {
  const { tool, args, options, terminal, progress, signal, client, approve } = call;
  const { openConfiguredBox, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  await tellWarnings(configuration, globals, terminal.errors);
  const { data } = globals;
  const asking = approve === undefined ? {} : { approve };
  const configured = await openConfiguredBox(configuration, { data, secretsFrom: data, waitMs: 0, ...asking });
  const { box } = configured;
  try {
    await progress.during('waiting for its server', () => awaitTool(configured, tool, signal));
    const named = resolveTool(tool, box.catalog());
    const calling = (): Promise<CallResult> =>
      box.call(named, args, {
        ...callOptions(options),
        waitMs: options.wait ?? (terminal.canAsk ? Number.POSITIVE_INFINITY : 0),
        signal,
        onProgress: (step) => progress.show(step),
        client,
      });
    const result = await progress.during(named, calling);
    const isAsked = result.decision?.answer === 'ask';
    return { result, time: (isAsked ? await readCallTime(box.journal, result.callId) : undefined) ?? result };
  } finally {
    await configured.close();
  }
}

/** Makes the call at the running server. */
async function callAtRunningServer({ client: server }: ConnectedServer, call: CommandCall): Promise<TimedResult> {
  const { tool, args, options, terminal, progress, signal, client, approve } = call;
  const catalog = await progress.during('waiting for its server', () =>
    catalogWithTool(server, tool, { signal, waitMs: maxServerWaitMs }),
  );
  const named = resolveTool(tool, catalog);
  const { session, key, timeout, wait = terminal.canAsk ? undefined : 0 } = options;
  const result = await progress.during(named, () =>
    callAtServer(server, {
      tool: named,
      arguments: args,
      principal: principalOf(options),
      ...(session === undefined ? {} : { session }),
      ...(key === undefined ? {} : { idempotencyKey: key }),
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(wait === undefined ? {} : { waitMs: wait }),
      signal,
      client,
      ...(approve === undefined ? {} : { approve }),
      onProgress: (step) => progress.show(step),
    }),
  );
  if (result.decision?.answer !== 'ask') return { result, time: result };
  const { durationMs, waitedMs, ran } = await server.request<Partial<CallTime>>('GET', `/api/calls/${result.callId}`);
  return {
    result,
    time: {
      durationMs: durationMs ?? result.durationMs,
      ...(waitedMs === undefined ? {} : { waitedMs }),
      ...(ran === undefined ? {} : { ran }),
    },
  };
}

const examples = `
Examples:
  signalbox call ping
  signalbox call notes/add '{"text": "buy milk"}'
  echo '{"text": "buy milk"}' | signalbox call mcp__notes__add - --json`;

function principalOf({ as }: Options): Principal {
  return as === undefined ? localUser() : { id: as, kind: 'agent' };
}

function callOptions(options: Options): CallOptions {
  const { session, key, timeout } = options;
  return {
    principal: principalOf(options),
    ...(session === undefined ? {} : { session }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(timeout === undefined ? {} : { deadline: Date.now() + timeout }),
  };
}

/** What was asked for goes to the output; what is said about it goes beside, so that pipes get the result alone. */
async function printResult({ output, errors }: Terminal, result: CallResult, time: CallTime): Promise<void> {
  const text = renderContent(result.content, Number.POSITIVE_INFINITY) || (result.error?.message ?? '');
  if (result.outcome === 'completed') {
    if (text !== '') await output.print(`${output.isTTY ? printable(text) : text}${text.endsWith('\n') ? '' : '\n'}`);
  } else {
    const { colors } = errors;
    const next = runnable(nextStep(result.error.code, result.tool, result.callId));
    const lines = printable(text).split('\n').join('\n  ');
    await errors.print(
      `${colors.red(result.outcome)} ${colors.bold(result.error.code)}: ${lines}\n  ${colors.dim('next:')} ${next}\n`,
    );
  }
  const changed = changeLines(result.changes ?? [], errors);
  await errors.print(`${[...changed, errors.colors.dim(summary(result, time))].join('\n')}\n`);
}

function summary({ outcome, decision, callId, changes }: CallResult, time: CallTime): string {
  const parts = [
    `${outcome} in ${formatCallTime(time)}`,
    ...(decision === undefined ? [] : [`decision ${decision.rule}`]),
    ...(changes === undefined || changes.length === 0
      ? []
      : [`${changes.length} changed, undo with: signalbox undo ${callId}`]),
    callId,
  ];
  return parts.join(' · ');
}
