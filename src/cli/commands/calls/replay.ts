import type { Command } from 'commander';
import type { CallResult } from '../../../core/calls/call.ts';
import type { OutcomeName } from '../../../core/calls/call-outcome.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { ReplayedCall } from '../../../testing/index.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { withJournal } from '../../open-records.ts';
import { printJson } from '../../terminal/terminal.ts';
import { oneLine } from '../../terminal/escape.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { Table } from '../../terminal/table.ts';
import { unknownSessionError } from '../../input/call-reference.ts';

/** `signalbox replay`: runs a recorded session again, against the recorded answers of its servers. */
export function addReplayCommand(program: Command, { terminal: { output, errors }, exitWith }: CommandContext): void {
  program
    .command('replay')
    .summary('run the calls of a session again, against recorded results')
    .description(
      'Runs the calls of a session again through the whole pipeline, against the recorded answers of its servers. It contacts no server and writes nothing. Approvals and calls without an answer repeat their recorded result. With --policies, decisions are compared too. Exits with 1 when a result differs.',
    )
    .argument('<session>', 'the id of a session, as the journal shows it')
    .option('--policies <file>', 'decide the calls with the rules of this file')
    .action(async (session: string, { policies: file }: { policies?: string }, command: Command) => {
      const globals = readGlobalOptions(command);
      const [{ recordedSession }, { replayWith }] = await Promise.all([
        import('../../../testing/recorded-session.ts'),
        import('../../../testing/replay-session.ts'),
      ]);
      const policies =
        file === undefined ? [] : (await import('../policy/policy-files.ts')).loadPolicyDocuments(file, globals);
      await withJournal(globals, async (journal) => {
        const line = new ProgressLine(errors);
        const recorded = await line.during('reading the session', () => recordedSession(journal, session));
        if (recorded.calls.length === 0) throw await unknownSessionError(session, journal);
        const items = await line.during('running its calls again', () =>
          describeReplay(replayWith(recorded, policies)),
        );
        const changed = items.filter(({ differs }) => differs !== 'no').length;
        if (globals.json) await printJson(output, { items });
        else {
          const { colors } = output;
          const table = new Table<ReplayedCallSummary>(
            [
              { heading: 'CALL', cell: ({ callId }) => callId },
              { heading: 'TOOL', cell: ({ tool }) => oneLine(tool) },
              { heading: 'THEN', cell: ({ recorded: before }) => before },
              {
                heading: 'NOW',
                cell: ({ replayed, differs }) => (differs === 'no' ? replayed : colors.yellow(replayed)),
              },
              { heading: 'WHAT', cell: (item) => oneLine(describeDifference(item)) },
            ],
            items,
            output,
          );
          await output.print(table.text());
          await output.print(`${pluralize(items.length, 'call')}, ${changed} with a different result\n`);
        }
        if (changed > 0) exitWith(1);
      });
    });
}

interface ReplayedCallSummary extends Pick<CallResult, 'error' | 'decision'>, Pick<ReplayedCall, 'differs'> {
  readonly callId: string;
  readonly tool: string;
  readonly recorded: OutcomeName;
  readonly replayed: OutcomeName;
  readonly output: string;
}

/** Replays the calls and collects their results. */
async function describeReplay(calls: AsyncIterable<ReplayedCall>): Promise<ReplayedCallSummary[]> {
  const items: ReplayedCallSummary[] = [];
  for await (const { recorded: then, replayed: now, differs } of calls)
    items.push({
      callId: then.callId,
      tool: then.tool,
      recorded: then.outcome,
      replayed: now.outcome,
      differs,
      ...omitUndefined({ error: now.error, decision: now.decision }),
      output: then.output,
    });
  return items;
}

function describeDifference({ differs, error, decision, output }: ReplayedCallSummary): string {
  switch (differs) {
    case 'no':
      return output;
    case 'content':
      return 'the result differs';
    case 'outcome':
      return error?.message ?? output;
    case 'decision':
      return decision === undefined ? output : `${decision.answer} by ${decision.rule}: ${decision.reason}`;
  }
}
