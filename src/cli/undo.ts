import type { Command } from 'commander';
import type { UndoOptions, UndoResult } from '../pipeline/undo/undo-calls.ts';
import type { JournalReader } from '../journal/queries/journal-reader.ts';
import { namedCall } from './named-call.ts';
import { undoneLine } from './change-lines.ts';
import type { CommandContext } from './command-context.ts';
import { parseDuration } from './duration.ts';
import { Failure, usageFailure } from './fail.ts';
import { type Globals, globalsOf } from './globals.ts';
import { Interruption } from './interruption.ts';
import { withJournal } from './journal/open-journal.ts';
import { loadHost } from '../host/load-host.ts';
import { localUser } from '../access/local-user.ts';
import { printJson } from './print-json.ts';
import { runnable } from './invocation.ts';
import { printable } from './printable.ts';
import { type ConnectedServer, connectToServer } from './server/connect.ts';
import { unknownSession } from './unknown-session.ts';
import type { Printer } from './terminal.ts';

interface Options {
  readonly session?: string;
  readonly partial?: true;
  readonly again?: true;
  readonly wait?: number;
}

/** `signalbox undo`: takes back what calls changed. */
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
    .action(async (call: string | undefined, { session, ...given }: Options, command: Command) => {
      if ((call === undefined) === (session === undefined))
        throw usageFailure('name a call, or a session with --session', { next: 'signalbox journal' });
      const globals = globalsOf(command);
      const server = await connectToServer(globals, terminal.errors);
      const interruption = new Interruption();
      const options: UndoOptions = {
        ...undoOptions(given),
        principal: localUser(),
        signal: interruption.signal,
        onBusy: (busy) =>
          void terminal.errors.print(`waiting for ${printable(busy)}, which is at work in the same workspace\n`),
      };
      const what = session === undefined ? { call: call ?? '' } : { session };
      try {
        const results = await (server === undefined
          ? undoLocally(globals, what, options)
          : undoAtRunningServer(globals, server, what, options));
        if (globals.json) await printJson(terminal.output, session === undefined ? results[0] : { items: results });
        else
          await terminal.output.print(
            results.length === 0 ? 'nothing to undo\n' : results.map((each) => render(each, terminal.output)).join(''),
          );
        if (results.some(({ outcome }) => outcome !== 'undone')) exitWith(1);
      } finally {
        interruption.stop();
      }
    });
}

/** The target of an undo: one call, or all calls of a session. */
type UndoTarget = { readonly call: string } | { readonly session: string };

async function undoLocally(globals: Globals, what: UndoTarget, options: UndoOptions): Promise<readonly UndoResult[]> {
  const { openBox, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  // External servers have no undo of their own, so they are not started.
  const servers = configuration.servers.filter(({ kind }) => kind === 'local');
  const box = await openBox({ ...configuration, servers }, { data: globals.data, secretsFrom: globals.data });
  try {
    if ('call' in what) return [await box.undo.call(await namedCall(what.call, box.journal), options)];
    await assertSession(what.session, box.journal);
    return await box.undo.session(what.session, options);
  } finally {
    await box.close();
  }
}

/** Runs the undo in the running server, which has the tools with an undo of their own. */
async function undoAtRunningServer(
  globals: Globals,
  { client }: ConnectedServer,
  what: UndoTarget,
  { partial, again, waitMs, signal }: UndoOptions,
): Promise<readonly UndoResult[]> {
  const body = {
    ...(partial === undefined ? {} : { partial }),
    ...(again === undefined ? {} : { again }),
    ...(waitMs === undefined ? {} : { waitSeconds: waitMs / 1000 }),
  };
  const options = { body, ...(signal === undefined ? {} : { signal }) };
  let named = '';
  await withJournal(globals, async (journal) => {
    if ('session' in what) await assertSession(what.session, journal);
    else named = await namedCall(what.call, journal);
  });
  if ('session' in what) {
    const path = `/api/sessions/${encodeURIComponent(what.session)}/undo`;
    return (await client.request<{ items: UndoResult[] }>('POST', path, options)).items;
  }
  const path = `/api/calls/${encodeURIComponent(named)}`;
  try {
    return [await client.request<UndoResult>('POST', `${path}/undo`, options)];
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'undo-conflict') throw error;
    const { tool, changes = [] } = await client.request<Pick<UndoResult, 'tool'> & Partial<UndoResult>>('GET', path);
    return [{ callId: named, tool, outcome: 'conflict', changes, conflicts: conflictsOf(error, changes) }];
  }
}

function conflictsOf({ details }: Failure, changes: UndoResult['changes']): UndoResult['conflicts'] {
  const issues = (details.data?.['issues'] ?? []) as readonly { readonly path: string; readonly message: string }[];
  const workspaceOf = (path: string): string => changes.find((change) => change.path === path)?.workspace ?? '';
  return issues.map(({ path, message }) => ({ workspace: workspaceOf(path), path, reason: message }));
}

async function assertSession(session: string, journal: JournalReader): Promise<void> {
  if ((await journal.calls({ session, limit: 1 })).items.length === 0) throw await unknownSession(session, journal);
}

function undoOptions({ partial, again, wait }: Options): UndoOptions {
  return {
    ...(partial === undefined ? {} : { partial }),
    ...(again === undefined ? {} : { again }),
    ...(wait === undefined ? {} : { waitMs: wait }),
  };
}

const examples = `
Examples:
  signalbox undo call_01k4…
  signalbox undo --session s1
  signalbox undo call_01k4… --partial`;

function render(result: UndoResult, { colors }: Printer): string {
  const { callId, tool, outcome, changes, conflicts, error } = result;
  const colour = outcome === 'undone' ? colors.green : outcome === 'partly-undone' ? colors.yellow : colors.red;
  const left = new Set(conflicts.map(({ path }) => path));
  const lines = [`${colour(outcome)} ${printable(tool)} ${colors.dim(callId)}`];
  if (outcome !== 'conflict')
    for (const change of changes) if (!left.has(change.path)) lines.push(`  ${undoneLine(change)}`);
  for (const { path, reason } of conflicts)
    lines.push(`  ${colors.yellow('!')} ${printable(path)}: ${printable(reason)}`);
  if (error !== undefined) lines.push(`  ${printable(error)}`);
  if (outcome === 'conflict')
    lines.push(`  ${colors.dim('next:')} ${runnable(`signalbox undo ${callId}`)} --partial restores the rest`);
  return `${lines.join('\n')}\n`;
}
