import type { Command } from 'commander';
import type { CallOptions, CallResult } from '../model/call.ts';
import type { SignalboxOptions } from '../signalbox.ts';
import { renderContent } from '../model/content.ts';
import { askOnTerminal } from './ask-on-terminal.ts';
import { awaitTool } from './await-tool.ts';
import { type CallTime, formatCallTime, readCallTime } from './call-time.ts';
import { changeLines } from './change-lines.ts';
import type { CommandContext } from './command-context.ts';
import { parseDuration } from './duration.ts';
import { globalsOf } from './globals.ts';
import { Interruption } from './interruption.ts';
import { loadBoxParts } from './load-box-parts.ts';
import { localUser } from './local-user.ts';
import { nextStep } from './next-step.ts';
import { printJson } from './print-json.ts';
import { printable } from './printable.ts';
import { ProgressLine } from './progress-line.ts';
import { readArguments } from './read-arguments.ts';
import { resolveTool } from './resolve-tool.ts';
import { tellWarnings } from './tell-warnings.ts';
import { terminalClient } from './terminal-client.ts';
import type { Terminal } from './terminal.ts';

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
    .summary('call a tool, through the whole pipeline')
    .description(
      'Calls one tool: validated, decided, recorded. A call that policy wants asked is asked here, if this is a terminal; else it ends as awaiting-approval, and runs when it is made again after signalbox approve.',
    )
    .argument('<tool>', 'mcp__server__tool, server/tool, or the tool’s own name where it is the only one')
    .argument('[json]', 'the arguments as a JSON object, or - to read them from standard input')
    .option('--as <principal>', 'call as an agent of this name (default: as you)')
    .option('--session <id>', 'the session the call belongs to')
    .option('--key <idempotency>', 'calls with the same key, tool and principal run once')
    .option('--timeout <duration>', 'how long it may take, as in 30s', parseDuration)
    .option('--wait <duration>', 'how long to wait for an approval that is not given here', parseDuration)
    .addHelpText('after', examples)
    .action(async (tool: string, json: string | undefined, options: Options, command: Command) => {
      const globals = globalsOf(command);
      const { openConfiguredBox, readConfiguration } = await loadBoxParts();
      const { configuration } = readConfiguration(globals);
      await tellWarnings(configuration, globals, terminal.errors);
      const args = await readArguments(json, terminal.input);
      const interruption = new Interruption();
      const progress = new ProgressLine(terminal.errors);
      const ask = askOnTerminal(terminal, () => interruption.interrupt());
      const approve: Pick<SignalboxOptions, 'approve'> = terminal.canAsk
        ? { approve: (request) => progress.pauseFor(async () => await ask(request)) }
        : {};
      const { data } = globals;
      const configured = await openConfiguredBox(configuration, { data, secretsFrom: data, waitMs: 0, ...approve });
      const { box } = configured;
      try {
        await progress.during('waiting for its server', () => awaitTool(configured, tool, interruption.signal));
        const named = resolveTool(tool, box.catalog());
        const calling = (): Promise<CallResult> =>
          box.call(named, args, {
            ...callOptions(options),
            waitMs: options.wait ?? (terminal.canAsk ? Number.POSITIVE_INFINITY : 0),
            signal: interruption.signal,
            onProgress: (step) => progress.show(step),
            client: terminalClient(terminal, progress, () => interruption.interrupt()),
          });
        const result = await progress.during(named, calling);
        const isAsked = result.decision?.answer === 'ask';
        const time = (isAsked ? await readCallTime(box.journal, result.callId) : undefined) ?? result;
        if (globals.json) await printJson(terminal.output, { ...result, ...time });
        else await printResult(terminal, result, time);
        if (result.outcome !== 'completed') exitWith(1);
      } finally {
        await configured.close();
        interruption.stop();
      }
    });
}

const examples = `
Examples:
  signalbox call ping
  signalbox call notes/add '{"text": "buy milk"}'
  echo '{"text": "buy milk"}' | signalbox call mcp__notes__add - --json`;

function callOptions({ as, session, key, timeout }: Options): CallOptions {
  return {
    principal: as === undefined ? localUser() : { id: as, kind: 'agent' },
    ...(session === undefined ? {} : { session }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
    ...(timeout === undefined ? {} : { deadline: Date.now() + timeout }),
  };
}

/** What was asked for goes to the output; what is said about it goes beside, so that pipes get the result alone. */
async function printResult({ output, errors }: Terminal, result: CallResult, time: CallTime): Promise<void> {
  const text = renderContent(result.content, Number.POSITIVE_INFINITY);
  if (result.outcome === 'completed') {
    if (text !== '') await output.print(`${output.isTTY ? printable(text) : text}${text.endsWith('\n') ? '' : '\n'}`);
  } else {
    const { colors } = errors;
    const next = nextStep(result.error.code, result.tool, result.callId);
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
