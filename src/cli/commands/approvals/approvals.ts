import type { Command } from 'commander';
import type { ApprovalPage } from '../../../pipeline/approvals/approval-view.ts';
import { AsyncQueue } from '../../../core/async/async-queue.ts';
import type { Approval } from '../../../core/calls/approval.ts';
import { askingRules } from '../../../core/calls/decision.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { usageError } from '../../cli-error.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { localUser } from '../../../access/local-user.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { runnable } from '../../terminal/invocation.ts';
import { oneLine } from '../../terminal/escape.ts';
import { approvalTable, ruleTable } from './approval-tables.ts';
import { type ReadRecords, findApproval, findByIdPrefix, withReadRecords, withRecords } from '../../open-records.ts';
import { argumentLines, describeAbandoned, unregisteredParts } from './argument-lines.ts';

interface Options {
  readonly all?: boolean;
  readonly follow?: boolean;
  readonly limit: number;
  readonly after?: string;
  readonly by?: string;
}

/** `signalbox approvals`: lists pending approvals and remembered rules. */
export function addApprovalsCommand(program: Command, context: CommandContext): void {
  const { terminal } = context;
  const approvals = program
    .command('approvals')
    .summary('list calls that wait for your answer, and remembered approvals')
    .description('Lists the calls that wait for a human, and approvals that no call has used yet, newest first.')
    .option('-a, --all', 'also list used, denied and expired approvals')
    .option('-f, --follow', 'print new questions and answers until Ctrl-C')
    .option('--by <principal>', 'only the questions of this caller')
    .option('-n, --limit <count>', 'how many to list', readLimit, 100)
    .option('--after <id>', 'start after this id, which the previous page prints at its end')
    .addHelpText('after', examples)
    .action(async (options: Options, command: Command) => {
      const { json, ...globals } = readGlobalOptions(command);
      await withReadRecords({ ...globals, json }, async (records) => {
        // Read before the list, so that a question asked in between is shown twice rather than never.
        const head = (await records.journal.query({ limit: 1 })).items[0]?.seq ?? 0;
        const { all, by, after, limit } = options;
        const state = all === true ? 'all' : 'open';
        const page = await records.approvals.page({ state, limit, ...omitUndefined({ principal: by, cursor: after }) });
        const { items } = page;
        if (options.follow === true) return follow(records, items, head, terminal, json);
        if (json) return printJson(terminal.output, page);
        if (items.length === 0) return terminal.errors.print('no calls wait for approval\n');
        // Calls that are waiting now come first.
        const waiting = items.filter(({ caller }) => caller === 'waiting');
        const others = items.filter(({ caller }) => caller !== 'waiting');
        await terminal.output.print(approvalTable(terminal.output, [...waiting, ...others]).text());
        await terminal.errors.print(listHints(page));
      });
    });
  addShowCommand(approvals, context);
  addRulesCommand(approvals, context);
  addRevokeCommand(approvals, context);
}

const maxLimit = 1000;

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw usageError(`--limit ${JSON.stringify(text)} is not a whole number from 1 to ${maxLimit}`);
}

/** Returns hints below the list: how to show all arguments, deny abandoned questions, and list further pages. */
function listHints({ items, total, next, callers }: ApprovalPage): string {
  const lines = [runnable('signalbox approvals show ID prints all arguments of one call, with hidden parts marked')];
  const gone = items.filter(({ state, caller }) => state === 'pending' && caller === 'gone').length;
  if (gone > 0)
    lines.push(
      `${gone} of these have no waiting caller: approving runs nothing until the caller repeats the call; ${runnable('signalbox deny --gone')} denies them`,
    );
  if (next !== undefined) {
    const counts = callers.map(({ principal, pending }) => `${oneLine(principal)} ${pending}`).join(', ');
    lines.push(
      `${items.length} of ${total} are listed; ${runnable(`signalbox approvals --after ${next}`)} lists more`,
      `pending by caller: ${counts === '' ? 'none' : counts}; --by CALLER lists those of one`,
    );
  }
  return `${lines.join('\n')}\n`;
}

const examples = `
Examples:
  signalbox approvals show 7k3m --reveal        all arguments, also what only looks like a secret
  signalbox approve 7k3m                        yes, once, to exactly that call
  signalbox approve 7k3m --edit '{"amount": 3}' yes, with other arguments
  signalbox approve 7k3m --remember tool        yes, and to every later call of that tool
  signalbox deny 7k3m --reason "not on Fridays"
  signalbox approvals rules                     what was remembered
  signalbox approvals revoke rule_…             ask again`;

/** Prints an approval again whenever it is requested or answered, or its caller stops or starts waiting. */
async function follow(
  { approvals, journal }: ReadRecords,
  items: readonly Approval[],
  after: number,
  { output }: Terminal,
  json: boolean,
): Promise<void> {
  const table = approvalTable(output, items);
  const format = (approval: Approval): string => `${json ? JSON.stringify(approval) : table.row(approval)}\n`;
  const interruption = new Interruption();
  const signal = AbortSignal.any([interruption.signal, output.closed]);
  const changed = new AsyncQueue<string>();
  const unfollow = await approvals.followCallers(({ approvalId }) => changed.push(approvalId));
  const shown = new Map<string, string>();
  const print = async (approval: Approval): Promise<void> => {
    const text = format(approval);
    // A new question causes two events, for the question and its caller, with the same line.
    if (shown.get(approval.id) === text) return;
    shown.set(approval.id, text);
    await output.print(text);
  };
  const listen = async (): Promise<void> => {
    for await (const event of journal.stream({ after }, { follow: true, signal }))
      if (event.type === 'ApprovalRequested' || event.type === 'ApprovalResolved') changed.push(event.approvalId);
  };
  try {
    if (!json) await output.print(`${table.heading()}\n`);
    for (const approval of items.toReversed()) await print(approval);
    void listen().then(
      () => changed.end(),
      (error: unknown) => changed.fail(error),
    );
    for await (const id of changed) await print(await approvals.get(id));
  } finally {
    unfollow();
    interruption.stop();
  }
}

function addShowCommand(approvals: Command, { terminal }: CommandContext): void {
  approvals
    .command('show')
    .summary('show one question with all its arguments')
    .description('Prints one question with all its arguments, and marks every hidden part.')
    .argument('<id>', 'the id, as signalbox approvals prints it, or its beginning')
    .option(
      '--reveal',
      'also show text that only looks like a secret, and record that you saw it; registered secret values stay hidden',
    )
    .action(async (prefix: string, { reveal = false }: { reveal?: boolean }, command: Command) => {
      const globals = readGlobalOptions(command);
      await withRecords(globals, async (box) => {
        const asked = await findApproval(box, prefix);
        const revealed = reveal ? await box.approvals.reveal(asked.id, { by: localUser() }) : {};
        const approval = { ...asked, ...revealed };
        if (globals.json) return printJson(terminal.output, approval);
        await terminal.output.print(formatApproval(approval, terminal.output));
      });
    });
}

function formatApproval(approval: Approval, { colors }: Printer): string {
  const { id, state, tool, effect, principal, session, decision, expiresAt, caller, note, hidden } = approval;
  const facts: [string, string][] = [
    ['id', id],
    ['state', state],
    ['effect', effect],
    ...askingRules(decision).map(({ rule, reason }): [string, string] => [
      'asks because',
      oneLine(`${reason} (${rule})`),
    ]),
    ['asked by', oneLine(`${principal.kind} ${principal.id}${session === undefined ? '' : `, session ${session}`}`)],
    ...(note === undefined ? [] : [['note', oneLine(note)] as [string, string]]),
    ...(caller === 'gone' ? [['caller', describeAbandoned(expiresAt)] as [string, string]] : []),
    ['arguments', argumentLines(approval.arguments, hidden).join('\n')],
  ];
  const lines = facts.map(([name, value]) => `  ${colors.dim(`${name}:`)} ${value}`);
  const next =
    state === 'pending' && unregisteredParts(hidden).length > 0
      ? [`  signalbox approvals show ${id} --reveal shows what only looks like a secret`]
      : [];
  return `${[colors.bold(oneLine(tool)), ...lines, ...next].join('\n')}\n`;
}

function addRulesCommand(approvals: Command, { terminal }: CommandContext): void {
  approvals
    .command('rules')
    .summary('list the remembered approvals')
    .description('Lists the approvals that hold for more than one call.')
    .action(async (_options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      await withReadRecords(globals, async (records) => {
        const items = await records.approvals.rules();
        if (globals.json) return printJson(terminal.output, { items });
        if (items.length === 0) return terminal.errors.print('no remembered approvals\n');
        await terminal.output.print(ruleTable(terminal.output, items));
      });
    });
}

function addRevokeCommand(approvals: Command, { terminal }: CommandContext): void {
  approvals
    .command('revoke')
    .summary('revoke a remembered approval')
    .description('Revokes a remembered approval: the calls that it allowed ask again.')
    .argument('<rule>', 'the id, as approvals rules prints it, or its beginning')
    .action(async (prefix: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      await withRecords(globals, async (box) => {
        const rule = findByIdPrefix(await box.approvals.rules(), prefix, 'rule_');
        if (rule === undefined)
          throw new SignalboxError('rule-unknown', `no remembered rule id begins with ${JSON.stringify(prefix)}`);
        await box.approvals.revoke(rule.id, { by: localUser() });
        if (globals.json) return printJson(terminal.output, rule);
        await terminal.output.print(`${terminal.output.colors.green('revoked')} ${rule.id}; its calls ask again\n`);
      });
    });
}
