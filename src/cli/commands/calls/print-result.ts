import type { CallResult } from '../../../core/calls/call.ts';
import type { FileChange } from '../../../core/calls/file-change.ts';
import { renderContent } from '../../../core/tools/content.ts';
import type { CallErrorCode } from '../../../core/errors.ts';
import { printable } from '../../terminal/escape.ts';
import { runnable } from '../../terminal/invocation.ts';
import type { Printer, Terminal } from '../../terminal/terminal.ts';
import { type CallTime, formatCallTime } from './call-time.ts';

/** Prints the result to standard output, and the outcome, changes and timing to standard error, so that a pipe gets only the result. */
export async function printResult({ output, errors }: Terminal, result: CallResult, time: CallTime): Promise<void> {
  const text = renderContent(result.content, Number.POSITIVE_INFINITY) || (result.error?.message ?? '');
  if (result.outcome === 'completed') {
    if (text !== '') await output.print(`${output.isTTY ? printable(text) : text}${text.endsWith('\n') ? '' : '\n'}`);
  } else {
    const { colors } = errors;
    const next = runnable(nextStep(result));
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

const repeat = 'run the same command again: it asks again';
const wait = 'wait, or raise the time limit, as in --timeout 5m';

/** Returns the next step for a call that did not complete. */
function nextStep({
  error: { code },
  tool,
  callId,
  approvalId,
}: Exclude<CallResult, { outcome: 'completed' }>): string {
  const steps: Partial<Record<CallErrorCode, string>> = {
    'definition-changed': 'signalbox tools',
    'tool-unknown': 'signalbox tools --why',
    'tool-hidden': 'signalbox tools --why',
    'server-down': 'signalbox tools --why',
    'arguments-invalid': `signalbox tools --json shows the schema of ${tool}`,
    'idempotency-conflict': 'use another --key for other arguments',
    'approval-unavailable': 'run the same command in a terminal, where you can be asked',
    'approval-awaited': `signalbox approve ${approvalId ?? 'ID'}; then run the same command again`,
    'approval-expired': repeat,
    'approval-used': repeat,
    'process-ended': repeat,
    'outcome-lost': `find out whether it took effect, then signalbox settle ${callId} --completed or --failed`,
    'deadline-exceeded': 'raise the time limit, as in --timeout 5m',
    'server-busy': wait,
    'rate-limited': wait,
    'checkpoint-failed': 'signalbox doctor',
    'journal-unavailable': 'signalbox doctor',
    'outcome-unrecorded': 'signalbox doctor',
    'internal-fault': 'signalbox doctor',
    'policy-denied': `signalbox policy explain ${callId}`,
  };
  return steps[code] ?? `signalbox journal --tool ${tool}`;
}

const signs = { added: '+', modified: '~', deleted: '-' } as const;
const maxDiffLines = 40;

/** Formats one change: sign, path and note. */
function changeLine({ path, kind, note }: FileChange): string {
  return printable(`${signs[kind]} ${path}${note === undefined ? '' : ` (${note})`}`);
}

/** Formats a change that an undo reverted. */
export function undoneLine({ path, kind, note }: FileChange): string {
  const verb = kind === 'added' ? 'removed' : 'restored';
  const details = note === undefined ? '' : ` (${note})`;
  return printable(`${verb} ${path}, which the call had ${kind}${details}`);
}

/** Returns a line for each changed file, followed by its diff. */
function changeLines(changes: readonly FileChange[], { colors }: Printer): string[] {
  return changes.flatMap((change) => {
    // The first two lines of a diff repeat the file name.
    const lines = (change.diff ?? '').trimEnd().split('\n').slice(2);
    const shown = lines.slice(0, maxDiffLines).map((line) => {
      const paint = line.startsWith('+') ? colors.green : line.startsWith('-') ? colors.red : colors.dim;
      return `  ${paint(printable(line))}`;
    });
    const rest = lines.length > maxDiffLines ? [`  ${colors.dim(`… ${lines.length - maxDiffLines} more lines`)}`] : [];
    return [changeLine(change), ...shown, ...rest];
  });
}
