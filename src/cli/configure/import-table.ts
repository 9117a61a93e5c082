import { basename } from 'node:path';
import type { ImportedEntry } from '../../config/import/found-server.ts';
import type { ImportPlan } from '../../config/import/plan-import.ts';
import { oneLine } from '../printable.ts';
import { Table } from '../table.ts';
import type { Printer } from '../terminal.ts';
import { shownPlace } from './target-configuration.ts';

/** What an import would do, for people. */
export function importTable({ taken, kept, skipped, problems }: ImportPlan, { colors }: Printer): string {
  const rows = taken.map(({ name, entry, origins, notes }) => [
    name,
    [...new Set(origins.map(({ client }) => client.title))].join(', '),
    oneLine(transportOf(entry)),
    oneLine(notes[0] ?? ''),
  ]);
  const table = new Table(
    [{ heading: 'NAME' }, { heading: 'FROM' }, { heading: 'TRANSPORT' }, { heading: 'NOTES' }],
    rows,
    undefined,
  );
  // Notes are what has to be done afterwards, so none of them is shortened.
  const blank = ['', '', ''];
  const lines = taken.flatMap(({ notes }, index) => [
    table.row(rows[index] ?? []),
    ...notes.slice(1).map((note) => table.row([...blank, oneLine(note)])),
  ]);
  const rest = [
    ...kept.map(({ name, client }) => `kept     ${name}: the configuration has it already (${client.title})`),
    ...skipped.map(
      ({ name, reason, file, line }) => `skipped  ${oneLine(name)}: ${oneLine(reason)} (${shownPlace(file, line)})`,
    ),
    ...problems.map(
      ({ file, line, message }) => `${colors.yellow('broken')}   ${shownPlace(file, line)}: ${oneLine(message)}`,
    ),
  ];
  const parts = [...(taken.length === 0 ? [] : [colors.bold(table.heading()), ...lines]), ...rest];
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

/** How a server is reached, and by whom: what the reader is about to trust. */
export function transportOf({ command, type = 'http', url = '', disabled }: ImportedEntry): string {
  const off = disabled === true ? ' (disabled)' : '';
  if (command !== undefined) return `stdio ${basename(command)}${off}`;
  return `${type} ${URL.canParse(url) ? new URL(url).host : ''}`.trimEnd() + off;
}
