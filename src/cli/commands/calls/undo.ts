import type { Command } from 'commander';
import type { UndoOptions, UndoResult } from '../../../pipeline/undo/undo-calls.ts';
import type { JournalReader } from '../../../journal/queries/journal-reader.ts';
import { resolveCallId, unknownSessionError } from '../../input/call-reference.ts';
import { undoneLine } from './print-result.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { parseDuration } from '../../input/duration-option.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { withJournal } from '../../open-records.ts';
import { loadHost } from '../../../host/load-host.ts';
import { localUser } from '../../../access/local-user.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { runnable } from '../../terminal/invocation.ts';
import { printable } from '../../terminal/escape.ts';
import { type CommandServer, connectToServer } from '../../client/connect-to-server.ts';

interface Options {
  readonly session?: string;
  readonly partial?: true;
  readonly again?: true;
  readonly wait?: number;
}

/** `signalbox undo`: reverts the changes of calls. */
export function addUndoCommand(program: Command, { terminal, exitWith }: CommandContext): void {
  program
    .command('undo')
    .summary('undo the changes of a call')
    .description(
      'Restores the files that a call changed in its workspace, then runs the tool’s own undo if it has one. Later changes by others are never overwritten: undo reports them and changes nothing. Session state that a completed call wrote stays.',
    )
    .argument('[call]', 'the id of the call, as call prints it, or the number of its entry in the journal')
    .option('--session <id>', 'undo all calls of a session instead, the last one first')
    .option('--partial', 'restore the files that nobody changed since, and leave the others')
    .option('--again', 'run the tool’s own undo again after it failed or was interrupted')
    .option('--wait <duration>', 'how long to wait for running calls in the same workspace (60s)', parseDuration)
    .addHelpText('after', examples)
    .action(async (call: string | undefined, { session, partial, again, wait }: Options, command: Command) => {
      if ((call === undefined) === (session === undefined))
        throw usageError('name a call, or a session with --session', 'signalbox journal');
      const globals = readGlobalOptions(command);
      const server = await connectToServer(globals, terminal.errors);
      const onBusy = (busy: string): void =>
        void terminal.errors.print(`waiting for ${printable(busy)}, which runs in the same workspace\n`);
      const target = session === undefined ? { call: call ?? '' } : { session };
      const results = await interruptible(({ signal }) => {
        const given = omitUndefined({ partial, again, waitMs: wait });
        const options: UndoOptions = { ...given, principal: localUser(), signal, onBusy };
        return server === undefined
          ? undoLocally(globals, target, options)
          : undoOnServer(globals, server, target, options);
      });
      if (globals.json) await printJson(terminal.output, session === undefined ? results[0] : { items: results });
      else if (results.length === 0) await terminal.output.print('nothing to undo\n');
      else await terminal.output.print(results.map((each) => render(each, terminal.output)).join(''));
      if (results.some(({ outcome }) => outcome !== 'undone')) exitWith(1);
    });
}

/** The target of an undo: one call, or all calls of a session. */
type UndoTarget = { readonly call: string } | { readonly session: string };

async function undoLocally(
  globals: GlobalOptions,
  target: UndoTarget,
  options: UndoOptions,
): Promise<readonly UndoResult[]> {
  const { openBox, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  // External servers have no undo of their own, so they are not started.
  const servers = configuration.servers.filter(({ kind }) => kind === 'local');
  const box = await openBox({ ...configuration, servers }, { data: globals.data, secretsFrom: globals.data });
  try {
    if ('call' in target) return [await box.undo.call(await resolveCallId(target.call, box.journal), options)];
    await assertSession(target.session, box.journal);
    return await box.undo.session(target.session, options);
  } finally {
    await box.close();
  }
}

/** Runs the undo in the running server, which has the tools with an undo of their own. */
async function undoOnServer(
  globals: GlobalOptions,
  { client }: CommandServer,
  target: UndoTarget,
  { partial, again, waitMs, signal }: UndoOptions,
): Promise<readonly UndoResult[]> {
  const options = { body: { partial, again, waitSeconds: waitMs && waitMs / 1000 }, signal };
  if ('session' in target) {
    await withJournal(globals, (journal) => assertSession(target.session, journal));
    const path = `/api/sessions/${encodeURIComponent(target.session)}/undo`;
    return (await client.request<{ items: UndoResult[] }>('POST', path, options)).items;
  }
  const callId = await withJournal(globals, (journal) => resolveCallId(target.call, journal));
  const path = `/api/calls/${encodeURIComponent(callId)}`;
  try {
    return [await client.request<UndoResult>('POST', `${path}/undo`, options)];
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'undo-conflict') throw error;
    const { tool, changes = [] } = await client.request<Pick<UndoResult, 'tool'> & Partial<UndoResult>>('GET', path);
    return [{ callId, tool, outcome: 'conflict', changes, conflicts: conflictsOf(error, changes) }];
  }
}

function conflictsOf({ details }: CliError, changes: UndoResult['changes']): UndoResult['conflicts'] {
  const issues = (details.data?.['issues'] ?? []) as readonly { readonly path: string; readonly message: string }[];
  const workspaceOf = (path: string): string => changes.find((change) => change.path === path)?.workspace ?? '';
  return issues.map(({ path, message }) => ({ workspace: workspaceOf(path), path, reason: message }));
}

async function assertSession(session: string, journal: JournalReader): Promise<void> {
  if ((await journal.calls({ session, limit: 1 })).items.length === 0)
    throw await unknownSessionError(session, journal);
}

const examples = `
Examples:
  signalbox undo call_01k4…
  signalbox undo --session s1
  signalbox undo call_01k4… --partial`;

function render(result: UndoResult, { colors }: Printer): string {
  const { callId, tool, outcome, changes, conflicts, error } = result;
  const paint = outcome === 'undone' ? colors.green : outcome === 'partly-undone' ? colors.yellow : colors.red;
  const unchanged = new Set(conflicts.map(({ path }) => path));
  const lines = [`${paint(outcome)} ${printable(tool)} ${colors.dim(callId)}`];
  if (outcome !== 'conflict')
    for (const change of changes) if (!unchanged.has(change.path)) lines.push(`  ${undoneLine(change)}`);
  for (const { path, reason } of conflicts)
    lines.push(`  ${colors.yellow('!')} ${printable(path)}: ${printable(reason)}`);
  if (error !== undefined) lines.push(`  ${printable(error)}`);
  if (outcome === 'conflict')
    lines.push(`  ${colors.dim('next:')} ${runnable(`signalbox undo ${callId}`)} --partial restores the rest`);
  return `${lines.join('\n')}\n`;
}
