import type { Catalog, Effect, HiddenTool, Tool } from '../../api/schema.ts';

/** The filters of the tool list. */
export interface ToolFilters {
  readonly words: string;
  /** Empty: all servers. */
  readonly server: string;
  readonly effect: Effect | 'hidden' | '';
  readonly isGrouped: boolean;
}

/** A row of the list. */
export type Row =
  | { readonly kind: 'server'; readonly key: string; readonly server: string; readonly count: number }
  | { readonly kind: 'tool'; readonly key: string; readonly tool: Tool }
  | { readonly kind: 'hidden'; readonly key: string; readonly hidden: HiddenTool };

interface Entry {
  readonly row: Exclude<Row, { kind: 'server' }>;
  readonly server: string;
  readonly name: string;
  readonly effect: Effect | 'hidden';
  readonly text: string;
}

/** Returns every tool, available or hidden, with its search text. */
export function toolEntries({ items, hidden }: Pick<Catalog, 'items' | 'hidden'>): readonly Entry[] {
  const offered = items.map((tool): Entry => ({
    row: { kind: 'tool', key: tool.name, tool },
    server: tool.id.server,
    name: tool.id.tool,
    effect: tool.effect,
    text: `${tool.name} ${tool.title ?? ''} ${tool.id.tool} ${tool.id.server} ${tool.description}`.toLowerCase(),
  }));
  const withheld = hidden.map((each): Entry => ({
    row: { kind: 'hidden', key: `hidden ${each.server} ${each.name} ${each.by} ${each.reason}`, hidden: each },
    server: each.server,
    name: each.name,
    effect: 'hidden',
    text: `${each.name} ${each.server} ${each.reason}`.toLowerCase(),
  }));
  return [...offered, ...withheld].toSorted(
    (one, other) =>
      compare(one.server, other.server) ||
      Number(one.effect === 'hidden') - Number(other.effect === 'hidden') ||
      compare(one.name, other.name),
  );
}

/** Returns the matching rows, grouped by server on request. */
export function filterRows(
  entries: readonly Entry[],
  { words, server, effect, isGrouped }: ToolFilters,
): readonly Row[] {
  const all = words.toLowerCase().split(/\s+/);
  const found = entries.filter(
    (entry) =>
      (server === '' || entry.server === server) &&
      (effect === '' || entry.effect === effect) &&
      all.every((word) => entry.text.includes(word)),
  );
  if (!isGrouped) return found.toSorted((one, other) => compare(one.name, other.name)).map(({ row }) => row);
  const rows: Row[] = [];
  const groups = Map.groupBy(found, (entry) => entry.server);
  for (const [name, group] of groups) {
    rows.push({ kind: 'server', key: `server ${name}`, server: name, count: group.length });
    for (const { row } of group) rows.push(row);
  }
  return rows;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
