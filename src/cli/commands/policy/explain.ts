import type { Command } from 'commander';
import type { Approval } from '../../../core/calls/approval.ts';
import type { Decision } from '../../../core/calls/decision.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { fullPrincipalName } from '../../../core/principal.ts';
import { formatCallTime, readCallTime } from '../calls/call-time.ts';
import { resolveCallId } from '../../input/call-reference.ts';
import { type ReadRecords, withReadRecords } from '../../open-records.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { localTime } from '../../terminal/time.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { oneLine } from '../../terminal/escape.ts';

/** `signalbox policy explain`: shows the rule and the values that decided a call. */
export function addExplainCommand(policy: Command, { terminal: { output } }: CommandContext): void {
  policy
    .command('explain')
    .summary('show why a call was allowed, asked or denied')
    .description('Shows, from the journal, which rule decided a call, its file and line, and the values it used.')
    .argument('<call>', 'the id of the call, as call prints it, or the number of its entry in the journal')
    .action(async (named: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      await withReadRecords(globals, async (records) => {
        const { journal } = records;
        const id = await resolveCallId(named, journal);
        const call = await journal.call(id);
        if (call === undefined)
          throw new CliError(1, 'call-unknown', `the journal has no call ${id}`, { next: 'signalbox journal' });
        const { tool, at, decision, sessionId } = call;
        const outcome = call.type === 'ToolInvoked' ? call.outcome : 'running';
        const time = await readCallTime(journal, id);
        const approval = await approvalOf(id, call.approvalId, records);
        const { answer } = approval ?? {};
        if (globals.json) {
          const approved =
            approval === undefined ? {} : { approval: { id: approval.id, state: approval.state, answer } };
          return printJson(output, { callId: id, tool, at, sessionId, outcome, decision, ...approved, ...time });
        }
        const ending = call.type === 'ToolInvoked' && call.error !== undefined ? `: ${call.error.message}` : '';
        const lines =
          decision === undefined
            ? [oneLine(`it ended as ${outcome} before the policy decision${ending}`)]
            : explainDecision(decision, output);
        if (approval !== undefined) lines.push(`${'answer'.padEnd(8)} ${oneLine(answerLine(approval))}`);
        if (time !== undefined) lines.push(`${'took'.padEnd(8)} ${formatCallTime(time)}`);
        const block = lines.map((line) => `  ${line}\n`).join('');
        await output.print(`${output.colors.bold(oneLine(tool))} ${id}\n${block}`);
      });
    });
}

/** Returns the approval of a call: the one it used, or the one it requested; `undefined` without one. */
async function approvalOf(
  callId: string,
  approvalId: string | undefined,
  { journal, approvals }: ReadRecords,
): Promise<Approval | undefined> {
  const asked = async (): Promise<string | undefined> => {
    const { items } = await journal.query({ call: callId, type: 'ApprovalRequested', limit: 1 });
    const [entry] = items;
    return entry?.type === 'ApprovalRequested' ? entry.approvalId : undefined;
  };
  const id = approvalId ?? (await asked());
  if (id === undefined) return undefined;
  return await approvals.get(id).catch((error: unknown) => {
    // Old approvals are deleted from the store, but not from the journal.
    if (error instanceof SignalboxError && error.code === 'approval-unknown') return undefined;
    throw error;
  });
}

function answerLine({ id, state, answer }: Approval): string {
  if (answer === undefined) return `${state === 'pending' ? 'not answered yet' : state} (${id})`;
  const { by, at, reason, rule } = answer;
  const more = [reason, rule === undefined ? undefined : `remembered as ${rule}`].filter((part) => part !== undefined);
  const verb = state === 'denied' ? 'denied' : 'approved';
  return `${verb} by ${fullPrincipalName(by)} at ${localTime(at)}${more.map((part) => `; ${part}`).join('')} (${id})`;
}

function explainDecision(
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
    ...shadow.map((each) => ['shadow', `${each.answer} by ${each.rule}: ${each.reason}`] as const),
  ];
  return [
    `${paint(answer)} ${oneLine(`by ${rule}${place(at)}`)}`,
    ...facts.map(([name, value]) => `${name.padEnd(8)} ${oneLine(value)}`),
  ];
}
