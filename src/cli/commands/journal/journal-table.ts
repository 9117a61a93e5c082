import { principalName } from '../../../core/principal.ts';
import { basename } from 'node:path';
import type { JournalEvent } from '../../../journal/entries/journal-event.ts';
import type { OutcomeName } from '../../../core/calls/call-outcome.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { formatDuration } from '../../input/duration-option.ts';
import { localTime } from '../../terminal/time.ts';
import { exactLine, oneLine } from '../../terminal/escape.ts';
import { type Column, Table } from '../../terminal/table.ts';
import type { Printer } from '../../terminal/terminal.ts';

const columns: readonly Column[] = [
  { heading: 'SEQ', align: 'right', minimum: 4 },
  { heading: 'TIME', minimum: 19 },
  { heading: 'OUTCOME', minimum: 13 },
  { heading: 'TOOL', minimum: 12 },
  { heading: 'SESSION', optional: true },
  { heading: 'DURATION', align: 'right', optional: true },
  { heading: 'OUTPUT' },
];

/** Formats journal entries as table rows. */
export class JournalTable {
  readonly #printer: Printer;
  readonly #table: Table;

  /** Derives the column widths from `sample`. */
  constructor(printer: Printer, sample: readonly JournalEvent[]) {
    this.#printer = printer;
    this.#table = new Table(
      columns,
      sample.map((event) => this.#cells(event)),
      printer.width,
    );
  }

  heading(): string {
    return this.#printer.colors.bold(this.#table.heading());
  }

  row(event: JournalEvent): string {
    return this.#table.row(this.#cells(event));
  }

  #cells(event: JournalEvent): string[] {
    const start = [String(event.seq), localTime(event.at)];
    const { colors } = this.#printer;
    switch (event.type) {
      case 'CallStarted':
        return [
          ...start,
          colors.dim('started'),
          oneLine(event.tool),
          oneLine(event.sessionId ?? ''),
          '',
          exactLine(JSON.stringify(event.arguments)),
        ];
      case 'ToolInvoked': {
        const duration = event.durationMs === null ? '' : formatDuration(event.durationMs);
        return [
          ...start,
          this.#paint(event.outcome),
          oneLine(event.tool),
          oneLine(event.sessionId ?? ''),
          duration,
          oneLine(event.output),
        ];
      }
      case 'ApprovalRequested':
      case 'ApprovalResolved':
      case 'CallSettled':
        return [...start, ...this.#answerCells(event)];
      case 'ApprovalRevealed': {
        const what = `${event.approvalId} by ${event.by.id}`;
        return [
          ...start,
          colors.cyan('revealed'),
          oneLine(event.tool),
          oneLine(event.sessionId ?? ''),
          '',
          oneLine(what),
        ];
      }
      case 'RuleRevoked':
        return [
          ...start,
          colors.cyan('rule revoked'),
          '',
          '',
          '',
          oneLine(`${event.rule} by ${principalName(event.by)}`),
        ];
      case 'TokenCreated': {
        const what = `${event.tokenId} with the role ${event.role}, by ${principalName(event.by)}`;
        return [...start, colors.cyan('token created'), oneLine(event.name ?? ''), '', '', oneLine(what)];
      }
      case 'TokenRevoked':
        return [
          ...start,
          colors.cyan('token revoked'),
          '',
          '',
          '',
          oneLine(`${event.tokenId} by ${principalName(event.by)}`),
        ];
      case 'AuthorityChanged': {
        const what = event.records.map(({ kind, name }) => `${kind} ${name}`).join(', ');
        return [...start, colors.cyan(`authority ${event.change}`), '', '', '', oneLine(what)];
      }
      case 'UndoStarted':
        return [...start, colors.dim('undo'), oneLine(event.tool), oneLine(event.sessionId ?? ''), '', event.callId];
      case 'Undone': {
        const conflicts = event.conflicts.length === 0 ? '' : `, ${event.conflicts.length} not restored`;
        const what = event.error ?? `${event.callId}: ${pluralize(event.changes, 'change')}${conflicts}`;
        const result = event.result === 'undone' ? colors.green('undone') : colors.yellow(event.result);
        return [...start, result, oneLine(event.tool), oneLine(event.sessionId ?? ''), '', oneLine(what)];
      }
      case 'ServerChanged': {
        const what = event.reason ?? pluralize(event.tools, 'tool');
        return [...start, colors.cyan(`server ${event.status}`), event.server, '', '', oneLine(what)];
      }
      case 'ConfigurationChanged': {
        const paint = event.status === 'applied' ? colors.cyan : colors.yellow;
        const what = oneLine(event.details.join('; '));
        const where = event.file === undefined ? (event.by?.id ?? '') : basename(event.file);
        return [...start, paint(`config ${event.status}`), oneLine(where), '', '', what];
      }
      case 'ContentRead':
        return [
          ...start,
          this.#paint(event.outcome),
          event.server,
          oneLine(event.sessionId ?? ''),
          formatDuration(event.durationMs),
          oneLine(`${event.kind} ${event.name}${event.error === undefined ? '' : `: ${event.error}`}`),
        ];
    }
  }

  #answerCells(event: JournalEvent & { type: 'ApprovalRequested' | 'ApprovalResolved' | 'CallSettled' }): string[] {
    const { colors } = this.#printer;
    const [what, more] = ((): [string, string] => {
      switch (event.type) {
        case 'ApprovalRequested':
          return [colors.yellow('asked'), `${event.approvalId} ${JSON.stringify(event.arguments)}`];
        case 'ApprovalResolved':
          return [
            colors.cyan(event.decision),
            `by ${principalName(event.by)}${event.reason === undefined ? '' : `: ${event.reason}`}`,
          ];
        case 'CallSettled': {
          const note = event.note === undefined ? '' : `: ${event.note}`;
          return [colors.cyan('settled'), `${event.callId} ${event.as}, by ${principalName(event.by)}${note}`];
        }
      }
    })();
    return [what, oneLine(event.tool), oneLine(event.sessionId ?? ''), '', exactLine(more)];
  }

  #paint(outcome: OutcomeName): string {
    const { colors } = this.#printer;
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
}
