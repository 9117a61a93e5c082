import { principalName } from '../../../core/principal.ts';
import type { Approval, RememberedRule } from '../../../core/calls/approval.ts';
import { askingRules } from '../../../core/calls/decision.ts';
import { localTime } from '../../terminal/time.ts';
import { exactLine, oneLine } from '../../terminal/escape.ts';
import { type Column, Table } from '../../terminal/table.ts';
import type { Printer } from '../../terminal/terminal.ts';

const shortIdLength = 8;
const longArgumentsLength = 80;
const approvalColumns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'STATE' },
  { heading: 'TOOL' },
  { heading: 'ASKED BY', optional: true },
  { heading: 'CALLER', optional: true },
  { heading: 'EXPIRES AT', optional: true },
  { heading: 'RULES', optional: true },
  { heading: 'ASKED AT', optional: true },
  { heading: 'ARGUMENTS' },
];

/** Shortens an id to a prefix that is usually unique. */
function shortenId(id: string): string {
  return id.replace(/^appr_/, '').slice(0, shortIdLength);
}

/** Formats approvals as table rows. */
export class ApprovalTable {
  readonly #printer: Printer;
  readonly #table: Table;

  constructor(printer: Printer, sample: readonly Approval[]) {
    this.#printer = printer;
    this.#table = new Table(
      approvalColumns,
      sample.map((approval) => this.#cells(approval)),
      printer.width,
    );
  }

  heading(): string {
    return this.#printer.colors.bold(this.#table.heading());
  }

  row(approval: Approval): string {
    return this.#table.row(this.#cells(approval));
  }

  #cells(approval: Approval): string[] {
    return [
      shortenId(approval.id),
      formatState(this.#printer, approval),
      `${oneLine(approval.tool)}${approval.flags === undefined ? '' : ' ⚠ suspicious'}`,
      oneLine(principalName(approval.principal)),
      approval.caller ?? '',
      localTime(approval.expiresAt),
      oneLine(
        askingRules(approval.decision)
          .map(({ rule }) => rule)
          .join(', '),
      ),
      localTime(approval.requestedAt),
      argumentCell(approval),
    ];
  }
}

/** Formats the arguments. The table may cut them, so their length comes first. */
function argumentCell({ arguments: shown, hidden }: Approval): string {
  const text = exactLine(JSON.stringify(shown));
  const length = text.length > longArgumentsLength ? `[${text.length} characters] ` : '';
  return `${hidden.length === 0 ? '' : `[${hidden.length} hidden] `}${length}${text}`;
}

/** Formats approvals as a table. */
export function approvalTable(printer: Printer, approvals: readonly Approval[]): string {
  const table = new ApprovalTable(printer, approvals);
  return `${[table.heading(), ...approvals.map((approval) => table.row(approval))].join('\n')}\n`;
}

/** Formats remembered approvals as a table. */
export function ruleTable(printer: Printer, rules: readonly RememberedRule[]): string {
  const columns = ['RULE', 'SCOPE', 'FOR', 'LETS THROUGH', 'BY', 'SINCE'];
  const rows = rules.map((rule) => [
    rule.id,
    rule.scope,
    oneLine(principalName(rule.principal)),
    exactLine(describeScope(rule)),
    oneLine(principalName(rule.by)),
    localTime(rule.at),
  ]);
  const table = new Table(
    columns.map((heading) => ({ heading })),
    rows,
    printer.width,
  );
  return table.text(rows, printer.colors.bold);
}

function describeScope(rule: RememberedRule): string {
  switch (rule.scope) {
    case 'session':
      return `${rule.tool} in session ${rule.session}`;
    case 'arguments':
      return `${rule.tool} ${JSON.stringify(rule.arguments)}`;
    case 'tool':
      return rule.tool ?? '';
    case 'server':
      return `${rule.server}, except irreversible calls`;
  }
}

function formatState({ colors }: Printer, { state }: Approval): string {
  switch (state) {
    case 'pending':
      return colors.yellow(state);
    case 'approved':
    case 'used':
      return colors.green(state);
    case 'denied':
    case 'expired':
      return colors.dim(state);
  }
}
