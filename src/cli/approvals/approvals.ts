import type { Command } from 'commander';
import type { Approval } from '../../model/approval.ts';
import { SignalboxError } from '../../model/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { Interruption } from '../interruption.ts';
import { localUser } from '../local-user.ts';
import { printJson } from '../print-json.ts';
import type { Terminal } from '../terminal.ts';
import { ApprovalTable, approvalTable, ruleTable } from './approval-table.ts';
import { type ReadRecords, only, withReadRecords, withRecords } from './open-inbox.ts';

interface Options {
  readonly all?: boolean;
  readonly follow?: boolean;
}

/** `signalbox approvals`: the inbox, and what was remembered. */
export function addApprovalsCommand(program: Command, context: CommandContext): void {
  const { terminal } = context;
  const approvals = program
    .command('approvals')
    .summary('what waits for your answer, and what you had remembered')
    .description('Lists the calls that wait for a human, and approvals that wait for their call; the newest first.')
    .option('-a, --all', 'also what was used, refused or has expired')
    .option('-f, --follow', 'go on with new questions and answers until Ctrl-C')
    .addHelpText('after', examples)
    .action(async (options: Options, command: Command) => {
      const { json, ...globals } = globalsOf(command);
      await withReadRecords({ ...globals, json }, async (records) => {
        // Before the list: what is asked in between is shown twice rather than never.
        const head = (await records.journal.entries({ limit: 1 })).items[0]?.seq ?? 0;
        const items = await records.approvals.list({ all: options.all === true, limit: 1000 });
        if (options.follow === true) return follow(records, items, head, terminal, json);
        if (json) return printJson(terminal.output, { items });
        if (items.length === 0) return terminal.errors.print('nothing waits for an answer\n');
        await terminal.output.print(approvalTable(terminal.output, items));
      });
    });
  addRulesCommand(approvals, context);
  addRevokeCommand(approvals, context);
}

const examples = `
Examples:
  signalbox approve 7k3m                        yes, once, to exactly that call
  signalbox approve 7k3m --edit '{"amount": 3}' yes, with other arguments
  signalbox approve 7k3m --remember tool        yes, and to every later call of that tool
  signalbox deny 7k3m --reason "not on Fridays"
  signalbox approvals rules                     what was remembered
  signalbox approvals revoke rule_…             ask again`;

/** A line for each approval, as it then is, whenever it is asked for or answered. */
async function follow(
  { approvals, journal }: ReadRecords,
  items: readonly Approval[],
  after: number,
  { output }: Terminal,
  json: boolean,
): Promise<void> {
  const table = new ApprovalTable(output, items);
  const line = (approval: Approval): string => `${json ? JSON.stringify(approval) : table.row(approval)}\n`;
  const interruption = new Interruption();
  const signal = AbortSignal.any([interruption.signal, output.closed]);
  try {
    if (!json) await output.print(`${table.heading()}\n`);
    for (const approval of items.toReversed()) await output.print(line(approval));
    for await (const event of journal.stream({ after }, { follow: true, signal })) {
      if (event.type !== 'ApprovalRequested' && event.type !== 'ApprovalResolved') continue;
      await output.print(line(await approvals.get(event.approvalId)));
    }
  } finally {
    interruption.stop();
  }
}

function addRulesCommand(approvals: Command, { terminal }: CommandContext): void {
  approvals
    .command('rules')
    .summary('the remembered approvals')
    .description('Lists the approvals that hold for more than one call.')
    .action(async (_options: object, command: Command) => {
      const globals = globalsOf(command);
      await withReadRecords(globals, async (records) => {
        const items = await records.approvals.rules();
        if (globals.json) return printJson(terminal.output, { items });
        if (items.length === 0) return terminal.errors.print('nothing is remembered\n');
        await terminal.output.print(ruleTable(terminal.output, items));
      });
    });
}

function addRevokeCommand(approvals: Command, { terminal }: CommandContext): void {
  approvals
    .command('revoke')
    .summary('end a remembered approval')
    .description('Ends a remembered approval: the calls that it let through ask again.')
    .argument('<rule>', 'its id, as approvals rules prints it, or the beginning of it')
    .action(async (prefix: string, _options: object, command: Command) => {
      const globals = globalsOf(command);
      await withRecords(globals, async (box) => {
        const rule = only(await box.approvals.rules(), prefix, 'rule_');
        if (rule === undefined)
          throw new SignalboxError('rule-unknown', `no remembered rule begins with ${JSON.stringify(prefix)}`);
        await box.approvals.revoke(rule.id, { by: localUser() });
        if (globals.json) return printJson(terminal.output, rule);
        await terminal.output.print(`${terminal.output.colors.green('revoked')} ${rule.id}; its calls ask again\n`);
      });
    });
}
