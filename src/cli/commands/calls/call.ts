import { localUser } from '../../../access/local-user.ts';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/calls/approval.ts';
import type { CallClient } from '../../../core/calls/call-client.ts';
import type { CallResult } from '../../../core/calls/call.ts';
import type { Principal } from '../../../core/principal.ts';
import { namesOf, parseName } from '../../../core/tools/tool-names.ts';
import type { ConfiguredBox } from '../../../host/box/configured-box.ts';
import { loadHost } from '../../../host/load-host.ts';
import { type CommandServer, connectToServer } from '../../client/connect-to-server.ts';
import { callRemoteTool, waitForTool } from '../../client/remote-call.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { readArguments } from '../../input/call-arguments.ts';
import { parseDuration } from '../../input/duration-option.ts';
import { toRenderedName, resolveTool } from '../../input/resolve-tool.ts';
import { createElicitationPrompt } from '../../terminal/elicitation-prompt.ts';
import { oneLine } from '../../terminal/escape.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { type Terminal, printJson } from '../../terminal/terminal.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { printWarnings } from '../../terminal/warnings.ts';
import { createApprovalPrompt } from './approval-prompt.ts';
import { type CallTime, readCallTime } from './call-time.ts';
import { printResult } from './print-result.ts';
import type { Command } from 'commander';

/** The maximum time to wait for the server of a tool. Its first start may include a download. */
const maxServerWaitMs = 30_000;

interface Options {
  readonly as?: string;
  readonly session?: string;
  readonly key?: string;
  readonly timeout?: number;
  readonly wait?: number;
}

/** `signalbox call`: calls one tool through the whole pipeline. */
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
    .option(
      '--wait <duration>',
      'how long to wait for an approval from another terminal or the console, for example 5m',
      parseDuration,
    )
    .addHelpText('after', examples)
    .action(async (tool: string, json: string | undefined, options: Options, command: Command) => {
      const globals = readGlobalOptions(command);
      const args = await readArguments(json, terminal.input);
      const server = await connectToServer(globals, terminal.errors);
      const progress = new ProgressLine(terminal.errors);
      const { result, time } = await interruptible((interruption) => {
        const interrupt = (): void => interruption.interrupt();
        const ask = createApprovalPrompt(terminal, interrupt);
        const call: CommandCall = {
          tool,
          args,
          options,
          terminal,
          progress,
          signal: interruption.signal,
          client: createTerminalClient(terminal, progress, interrupt),
          approve: terminal.canAsk ? (request) => progress.pauseFor(async () => await ask(request)) : undefined,
        };
        return server === undefined ? callLocally(globals, call) : callOnServer(server, call);
      });
      if (globals.json) await printJson(terminal.output, { ...result, ...time });
      else await printResult(terminal, result, time);
      if (result.outcome !== 'completed') exitWith(1);
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
  readonly approve: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
}

interface TimedResult {
  readonly result: CallResult;
  readonly time: CallTime;
}

/** Makes the call in this process, from the configuration. */
async function callLocally(globals: GlobalOptions, call: CommandCall): Promise<TimedResult> {
  const { tool, args, options, terminal, progress, signal, client, approve } = call;
  const { session, key, timeout, wait = terminal.canAsk ? Number.POSITIVE_INFINITY : 0 } = options;
  const { openConfiguredBox, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  await printWarnings(configuration, globals, terminal.errors);
  const { data } = globals;
  const asking = approve && { approve };
  const configured = await openConfiguredBox(configuration, { data, secretsFrom: data, waitMs: 0, ...asking });
  const { box } = configured;
  try {
    await progress.during('waiting for its server', () => waitForLocalTool(configured, tool, signal));
    const named = resolveTool(tool, box.catalog());
    const calling = (): Promise<CallResult> =>
      box.call(named, args, {
        principal: principalOf(options),
        session,
        idempotencyKey: key,
        deadline: timeout && Date.now() + timeout,
        waitMs: wait,
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
async function callOnServer({ client: server }: CommandServer, call: CommandCall): Promise<TimedResult> {
  const { tool, args, options, terminal, progress, signal, client, approve } = call;
  const { session, key, timeout, wait = terminal.canAsk ? undefined : 0 } = options;
  const catalog = await progress.during('waiting for its server', () =>
    waitForTool(server, tool, { signal, waitMs: maxServerWaitMs }),
  );
  const named = resolveTool(tool, catalog);
  const calling = (): Promise<CallResult> =>
    callRemoteTool(server, {
      tool: named,
      arguments: args,
      principal: principalOf(options),
      session,
      idempotencyKey: key,
      timeoutMs: timeout,
      waitMs: wait,
      signal,
      client,
      approve,
      onProgress: (step) => progress.show(step),
    });
  const result = await progress.during(named, calling);
  if (result.decision?.answer !== 'ask') return { result, time: result };
  const time = await server.request<Partial<CallTime>>('GET', `/api/calls/${result.callId}`);
  return { result, time: { durationMs: time.durationMs ?? result.durationMs, waitedMs: time.waitedMs, ran: time.ran } };
}

const examples = `
Examples:
  signalbox call ping
  signalbox call notes/add '{"text": "buy milk"}'
  echo '{"text": "buy milk"}' | signalbox call mcp__notes__add - --json`;

function principalOf({ as }: Options): Principal {
  return as === undefined ? localUser() : { id: as, kind: 'agent' };
}

/**
 * Waits until the server that a tool name refers to is ready, for at most `maxServerWaitMs`. For a name without a server, waits until
 * one server has the tool or all were tried.
 */
async function waitForLocalTool(configured: ConfiguredBox, tool: string, signal: AbortSignal): Promise<void> {
  const named = parseName(toRenderedName(tool) ?? '')?.server;
  // With an unknown server name, wait for all servers, so that the error can suggest the closest tool.
  const server = configured.box.catalog().servers.find(({ name }) => name === named)?.name;
  const waitSignal = AbortSignal.any([signal, AbortSignal.timeout(maxServerWaitMs)]);
  const wait =
    server === undefined ? watchForTool(configured, tool) : { ready: configured.ready(server), stop: () => undefined };
  try {
    await raceAbort(() => wait.ready, waitSignal);
  } catch (error) {
    // The call itself reports that the tool is unknown or that it was cancelled.
    if (!waitSignal.aborted) throw error;
  } finally {
    wait.stop();
  }
}

function watchForTool(configured: ConfiguredBox, tool: string): { ready: Promise<void>; stop(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (configured.box.tools().some((each) => namesOf(each).bare.includes(tool))) resolve();
  };
  const stop = configured.box.on('CatalogChanged', check);
  check();
  return { ready: Promise.race([promise, configured.ready()]), stop };
}

/** Creates the client of a call: prints log messages of the tool, and asks its elicitations when the terminal allows it. */
function createTerminalClient(terminal: Terminal, progress: ProgressLine, onInterrupt: () => void): CallClient {
  const { errors, canAsk } = terminal;
  const elicit = createElicitationPrompt(terminal, onInterrupt);
  return {
    log({ level, logger, data }) {
      progress.clear();
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      const from = logger === undefined ? level : `${level} ${logger}`;
      void errors.print(`${errors.colors.dim(`${oneLine(from)}: ${oneLine(text)}`)}\n`);
    },
    ...(canAsk ? { elicit: (request, asking) => progress.pauseFor(() => elicit(request, asking)) } : {}),
  };
}
