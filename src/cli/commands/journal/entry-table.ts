import { basename } from 'node:path';
import type { OutcomeName } from '../../../core/calls/call-outcome.ts';
import { principalName } from '../../../core/principal.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import type { JournalEvent } from '../../../journal/entries/journal-event.ts';
import { exactLine, oneLine } from '../../terminal/escape.ts';
import { Table } from '../../terminal/table.ts';
import type { Printer } from '../../terminal/terminal.ts';
import { formatDuration, localTime } from '../../terminal/time.ts';

/** Creates the table of journal entries, with the column widths of `sample`. */
export function entryTable(printer: Printer, sample: readonly JournalEvent[]): Table<JournalEvent> {
  const { colors } = printer;
  return new Table(
    [
      { heading: 'SEQ', cell: ({ seq }) => String(seq), align: 'right', minimum: 4 },
      { heading: 'TIME', cell: ({ at }) => localTime(at), minimum: 19 },
      { heading: 'OUTCOME', cell: (event) => describe(event, colors)[0], minimum: 13 },
      { heading: 'TOOL', cell: (event) => oneLine(nameOf(event)), minimum: 12 },
      {
        heading: 'SESSION',
        cell: (event) => oneLine('sessionId' in event ? (event.sessionId ?? '') : ''),
        optional: true,
      },
      { heading: 'DURATION', cell: durationOf, align: 'right', optional: true },
      { heading: 'OUTPUT', cell: (event) => describe(event, colors)[1] },
    ],
    sample,
    printer,
  );
}

/** Returns the tool, server, token or file that an entry is about. */
function nameOf(event: JournalEvent): string {
  if ('tool' in event) return event.tool;
  if ('server' in event) return event.server;
  if (event.type === 'TokenCreated') return event.name ?? '';
  if (event.type !== 'ConfigurationChanged') return '';
  return event.file === undefined ? (event.by?.id ?? '') : basename(event.file);
}

function durationOf(event: JournalEvent): string {
  return 'durationMs' in event && event.durationMs !== null ? formatDuration(event.durationMs) : '';
}

/** Returns the cells OUTCOME and OUTPUT of an entry. */
function describe(event: JournalEvent, colors: Printer['colors']): readonly [outcome: string, output: string] {
  switch (event.type) {
    case 'CallStarted':
      return [colors.dim('started'), exactLine(JSON.stringify(event.arguments))];
    case 'ToolInvoked':
      return [paintOutcome(event.outcome, colors), oneLine(event.output)];
    case 'ApprovalRequested':
      return [colors.yellow('asked'), exactLine(`${event.approvalId} ${JSON.stringify(event.arguments)}`)];
    case 'ApprovalResolved':
      return [colors.cyan(event.decision), exactLine(`by ${principalName(event.by)}${suffix(event.reason)}`)];
    case 'ApprovalRevealed':
      return [colors.cyan('revealed'), oneLine(`${event.approvalId} by ${event.by.id}`)];
    case 'CallSettled': {
      const answer = `${event.callId} ${event.as}, by ${principalName(event.by)}${suffix(event.note)}`;
      return [colors.cyan('settled'), exactLine(answer)];
    }
    case 'RuleRevoked':
      return [colors.cyan('rule revoked'), oneLine(`${event.rule} by ${principalName(event.by)}`)];
    case 'TokenCreated': {
      const created = `${event.tokenId} with the role ${event.role}, by ${principalName(event.by)}`;
      return [colors.cyan('token created'), oneLine(created)];
    }
    case 'TokenRevoked':
      return [colors.cyan('token revoked'), oneLine(`${event.tokenId} by ${principalName(event.by)}`)];
    case 'AuthorityChanged': {
      const records = event.records.map(({ kind, name }) => `${kind} ${name}`).join(', ');
      return [colors.cyan(`authority ${event.change}`), oneLine(records)];
    }
    case 'UndoStarted':
      return [colors.dim('undo'), event.callId];
    case 'Undone': {
      const conflicts = event.conflicts.length === 0 ? '' : `, ${event.conflicts.length} not restored`;
      const paint = event.result === 'undone' ? colors.green : colors.yellow;
      const undone = event.error ?? `${event.callId}: ${pluralize(event.changes, 'change')}${conflicts}`;
      return [paint(event.result), oneLine(undone)];
    }
    case 'ServerChanged':
      return [colors.cyan(`server ${event.status}`), oneLine(event.reason ?? pluralize(event.tools, 'tool'))];
    case 'ConfigurationChanged': {
      const paint = event.status === 'applied' ? colors.cyan : colors.yellow;
      return [paint(`config ${event.status}`), oneLine(event.details.join('; '))];
    }
    case 'ContentRead':
      return [paintOutcome(event.outcome, colors), oneLine(`${event.kind} ${event.name}${suffix(event.error)}`)];
  }
}

function suffix(text: string | undefined): string {
  return text === undefined ? '' : `: ${text}`;
}

function paintOutcome(outcome: OutcomeName, colors: Printer['colors']): string {
  switch (outcome) {
    case 'completed':
      return colors.green(outcome);
    case 'failed':
    case 'timed-out':
    case 'unknown':
      return colors.red(outcome);
    case 'denied':
    case 'awaiting-approval':
    case 'cancelled':
    case 'stale':
      return colors.yellow(outcome);
  }
}
