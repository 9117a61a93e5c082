import { SignalboxError } from '../../core/errors.ts';
import type { ChainHead } from '../../journal/store/store.ts';
import type { CopiedRow, CopiedTable, CopiedValue, CopySource } from './copy-source.ts';
import type { CopyTarget } from './copy-target.ts';
import { hash } from 'node:crypto';
import { setImmediate as breath } from 'node:timers/promises';

/** How far a copy has come. */
export interface CopyProgress {
  readonly doing: 'copying' | 'checking';
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

/** What was copied, and found to be the same on both sides. */
export interface CopyReport {
  readonly head: ChainHead;
  readonly tables: Readonly<Record<string, number>>;
  /** Rows that an earlier, unfinished copy had brought over. */
  readonly resumed: number;
}

/** The table that proves itself by its chain. */
const journal = 'journal';

/** Copies everything, or what is left of it, and makes sure that it is the same on both sides. */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  options: { readonly onProgress?: (progress: CopyProgress) => void; readonly signal?: AbortSignal } = {},
): Promise<CopyReport> {
  const resumed = source.tables.reduce((sum, table) => sum + target.soFar(table).rows, 0);
  if (!target.isFinished)
    for (const table of source.tables) {
      for await (const rows of copyTable(source, target, table)) {
        options.onProgress?.({ doing: 'copying', table: table.name, rows, total: table.rows });
        options.signal?.throwIfAborted();
      }
    }
  const verified = await target.verify(source.head, options.signal);
  if (!verified.ok)
    throw new SignalboxError(
      'copy-failed',
      `the journal does not hold: ${verified.problem}. Does it in the source? signalbox journal verify tells; ${target.location} stays closed`,
    );
  if (verified.head.seq !== source.head.seq || verified.head.hash !== source.head.hash)
    throw different(target, `the journal ends at ${verified.head.seq} and not at ${source.head.seq}`);
  const tables: Record<string, number> = {};
  for (const table of source.tables) {
    options.onProgress?.({ doing: 'checking', table: table.name, rows: 0, total: table.rows });
    options.signal?.throwIfAborted();
    tables[table.name] = table.name === journal ? table.rows : await compared(source, target, table);
  }
  await target.finish();
  return { head: source.head, tables, resumed };
}

/** Reads a page while the one before is written. */
async function* copyTable(source: CopySource, target: CopyTarget, table: CopiedTable): AsyncGenerator<number> {
  let { rows, next } = target.soFar(table);
  let writing: Promise<void> = Promise.resolve();
  for (;;) {
    const page = source.page(table, next);
    await writing;
    yield rows;
    if (page.rows.length === 0) return;
    writing = target.write(table, page);
    // Awaited above; until then nobody listens.
    writing.catch(() => undefined);
    ({ next } = page);
    rows += page.rows.length;
  }
}

async function compared(source: CopySource, target: CopyTarget, table: CopiedTable): Promise<number> {
  const [ours, theirs] = [new RowDigest(), new RowDigest()];
  for await (const rows of sourceRows(source, table)) ours.add(rows);
  for await (const rows of target.rows(table)) theirs.add(rows);
  if (ours.text === theirs.text) return ours.rows;
  const counts = ours.rows === theirs.rows ? '' : `: ${theirs.rows} rows in place of ${ours.rows}`;
  throw different(target, `the table ${table.name} is not the same on both sides${counts}`);
}

async function* sourceRows(source: CopySource, table: CopiedTable): AsyncGenerator<readonly CopiedRow[]> {
  for (let page = source.page(table, undefined); page.rows.length > 0; page = source.page(table, page.next)) {
    yield page.rows;
    await breath();
  }
}

function different(target: CopyTarget, what: string): SignalboxError {
  return new SignalboxError(
    'copy-failed',
    `${what}. Was the source written to after the copy was begun? --restart copies all of it anew; ${target.location} stays closed until a copy is whole`,
  );
}

/** Says in one number which rows a table has, in whatever order they come: each store has its own. */
export class RowDigest {
  #sum = 0n;
  #rows = 0;

  add(rows: readonly CopiedRow[]): void {
    for (const row of rows) this.#sum += BigInt(`0x${hash('sha256', JSON.stringify(row.map(withoutNul)), 'hex')}`);
    this.#rows += rows.length;
  }

  get rows(): number {
    return this.#rows;
  }

  get text(): string {
    return `${this.#rows}:${this.#sum.toString(16)}`;
  }
}

/** Not every store can keep a NUL; there a sign stands in its place. */
function withoutNul(value: CopiedValue): CopiedValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
