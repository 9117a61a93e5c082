import type { Command } from 'commander';
import type { Decision } from '../../model/decision.ts';
import { formatCallTime, readCallTime } from '../call-time.ts';
import { namedCall } from '../named-call.ts';
import type { CommandContext } from '../command-context.ts';
import { Failure } from '../fail.ts';
import { globalsOf } from '../globals.ts';
import { withJournal } from '../journal/open-journal.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import type { Printer } from '../terminal.ts';

/** `signalbox policy explain`: why was a call decided so? */
export function addExplainCommand(policy: Command, { terminal: { output } }: CommandContext): void {
  policy
    .command('explain')
    .summary('show why a call was allowed, asked or denied')
    .description('Shows, from the journal, which rule decided a call, its file and line, and the values it used.')
    .argument('<call>', 'the id of the call, as call prints it, or the number of its entry in the journal')
    .action(async (named: string, _options: object, command: Command) => {
      const globals = globalsOf(command);
      await withJournal(globals, async (journal) => {
        const id = await namedCall(named, journal);
        const call = await journal.call(id);
        if (call === undefined)
          throw new Failure(1, 'call-unknown', `no call ${id} is in the journal`, { next: 'signalbox journal' });
        const { tool, at, decision, sessionId } = call;
        const outcome = call.type === 'ToolInvoked' ? call.outcome : 'running';
        const time = await readCallTime(journal, id);
        if (globals.json) return printJson(output, { callId: id, tool, at, sessionId, outcome, decision, ...time });
        const ending = call.type === 'ToolInvoked' && call.error !== undefined ? `: ${call.error.message}` : '';
        const lines =
          decision === undefined
            ? [oneLine(`it ended as ${outcome} before policy was asked${ending}`)]
            : explained(decision, output);
        if (time !== undefined) lines.push(`${'took'.padEnd(8)} ${formatCallTime(time)}`);
        const block = lines.map((line) => `  ${line}\n`).join('');
        await output.print(`${output.colors.bold(oneLine(tool))} ${id}\n${block}`);
      });
    });
}

function explained(
  { answer, rule, reason, at, asks = [], values = {}, policy, ruled, shadow = [] }: Decision,
  { colors }: Printer,
): string[] {
  const paint = { allow: colors.green, ask: colors.yellow, deny: colors.red }[answer];
  const place = (where: string | undefined): string => (where === undefined ? '' : ` (${where})`);
  const facts: readonly (readonly [string, string])[] = [
    ['reason', reason],
    ...asks.slice(1).map((also) => ['also', `ask by ${also.rule}${place(also.at)}: ${also.reason}`] as const),
    ...Object.entries(values).map(([name, value]) => ['value', `${name} = ${JSON.stringify(value)}`] as const),
    ...(ruled === undefined ? [] : [['rules', `${ruled.answer} by ${ruled.rule}: ${ruled.reason}`] as const]),
    ...(policy === undefined ? [] : [['policy', `version ${policy}`] as const]),
    ...shadow.map((said) => ['shadow', `${said.answer} by ${said.rule}: ${said.reason}`] as const),
  ];
  return [
    `${paint(answer)} ${oneLine(`by ${rule}${place(at)}`)}`,
    ...facts.map(([name, value]) => `${name.padEnd(8)} ${oneLine(value)}`),
  ];
}
