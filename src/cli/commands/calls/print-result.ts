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
    const next = runnable(nextStep(result.error.code, result.tool, result.callId));
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

/** Returns the next step for a call that did not complete. */
function nextStep(code: CallErrorCode, tool: string, callId: string): string {
  switch (code) {
    case 'definition-changed':
      return 'signalbox tools';
    case 'tool-unknown':
    case 'tool-hidden':
    case 'server-down':
      return 'signalbox tools --why';
    case 'arguments-invalid':
      return `signalbox tools --json shows the schema of ${tool}`;
    case 'idempotency-conflict':
      return 'use another --key for other arguments';
    case 'approval-unavailable':
      return 'run the same command in a terminal, where you can be asked';
    case 'approval-awaited':
      return 'signalbox approvals shows it, signalbox approve answers it; then run the same command again';
    case 'approval-expired':
    case 'approval-used':
    case 'process-ended':
      return 'run the same command again: it asks again';
    case 'outcome-lost':
      return `find out whether it took effect, then signalbox settle ${callId} --completed or --failed`;
    case 'deadline-exceeded':
      return 'raise the time limit, as in --timeout 5m';
    case 'server-busy':
    case 'rate-limited':
      return 'wait, or raise the time limit, as in --timeout 5m';
    case 'checkpoint-failed':
    case 'journal-unavailable':
    case 'outcome-unrecorded':
    case 'internal-fault':
      return 'signalbox doctor';
    case 'policy-denied':
      return `signalbox policy explain ${callId}`;
    case 'approval-denied':
    case 'approval-failed':
    case 'tool-failed':
    case 'capability-missing':
    case 'result-invalid':
    case 'result-too-large':
    case 'caller-cancelled':
    case 'box-closed':
    case 'arguments-edited':
    case 'settled-failed':
      return `signalbox journal --tool ${tool}`;
  }
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
