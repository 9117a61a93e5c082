import { principalName } from '../../../core/principal.ts';
import type { Approval, RememberedRule } from '../../../core/calls/approval.ts';
import { askingRules } from '../../../core/calls/decision.ts';
import { localTime } from '../../terminal/time.ts';
import { exactLine, oneLine } from '../../terminal/escape.ts';
import { Table } from '../../terminal/table.ts';
import type { Printer } from '../../terminal/terminal.ts';

const shortIdLength = 8;
const longArgumentsLength = 80;

/** Creates the table of approvals, with the column widths of `sample`. */
export function approvalTable(printer: Printer, sample: readonly Approval[]): Table<Approval> {
  return new Table(
    [
      // A prefix that is usually unique.
      { heading: 'ID', cell: ({ id }) => id.replace(/^appr_/, '').slice(0, shortIdLength) },
      { heading: 'STATE', cell: (approval) => formatState(printer, approval) },
      { heading: 'TOOL', cell: ({ tool, flags }) => `${oneLine(tool)}${flags === undefined ? '' : ' ⚠ suspicious'}` },
      { heading: 'ASKED BY', cell: ({ principal }) => oneLine(principalName(principal)), optional: true },
      { heading: 'CALLER', cell: ({ caller }) => caller ?? '', optional: true },
      { heading: 'EXPIRES AT', cell: ({ expiresAt }) => localTime(expiresAt), optional: true },
      { heading: 'RULES', cell: ({ decision }) => oneLine(ruleNames(decision)), optional: true },
      { heading: 'ASKED AT', cell: ({ requestedAt }) => localTime(requestedAt), optional: true },
      { heading: 'ARGUMENTS', cell: argumentCell },
    ],
    sample,
    printer,
  );
}

function ruleNames(decision: Approval['decision']): string {
  return askingRules(decision)
    .map(({ rule }) => rule)
    .join(', ');
}

/** Formats the arguments. The table may cut them, so their length comes first. */
function argumentCell({ arguments: shown, hidden }: Approval): string {
  const text = exactLine(JSON.stringify(shown));
  const length = text.length > longArgumentsLength ? `[${text.length} characters] ` : '';
  return `${hidden.length === 0 ? '' : `[${hidden.length} hidden] `}${length}${text}`;
}

/** Formats remembered approvals as a table. */
export function ruleTable(printer: Printer, rules: readonly RememberedRule[]): string {
  const table = new Table<RememberedRule>(
    [
      { heading: 'RULE', cell: ({ id }) => id },
      { heading: 'SCOPE', cell: ({ scope }) => scope },
      { heading: 'FOR', cell: ({ principal }) => oneLine(principalName(principal)) },
      { heading: 'ALLOWS', cell: (rule) => exactLine(describeScope(rule)) },
      { heading: 'BY', cell: ({ by }) => oneLine(principalName(by)) },
      { heading: 'SINCE', cell: ({ at }) => localTime(at) },
    ],
    rules,
    printer,
  );
  return table.text();
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
