import { SignalboxError } from '../../core/errors.ts';
import type { ChainHead } from '../../journal/store/store.ts';
import type { CopiedRow, CopiedTable, CopiedValue, CopySource, CopyTarget } from './copy-ports.ts';
import { hash } from 'node:crypto';
import { setImmediate as yieldTurn } from 'node:timers/promises';

/** The progress of a copy. */
export interface CopyProgress {
  readonly doing: 'copying' | 'checking';
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

/** The result of a verified copy. */
export interface CopyReport {
  readonly head: ChainHead;
  readonly tables: Readonly<Record<string, number>>;
  /** The number of rows that an earlier, interrupted copy had written. */
  readonly resumed: number;
}

/** The table that is verified by its hash chain instead of a row digest. */
const journal = 'journal';

/** Copies all tables, or the rest of an interrupted copy, and verifies that both sides are equal. Rejects with `copy-failed`. */
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
      `the copied journal is not intact: ${verified.problem}. Check the source with: signalbox journal verify. ${target.location} cannot be used until a copy succeeds`,
    );
  if (verified.head.seq !== source.head.seq || verified.head.hash !== source.head.hash)
    throw differenceError(target, `the journal ends at ${verified.head.seq} and not at ${source.head.seq}`);
  const tables: Record<string, number> = {};
  for (const table of source.tables) {
    options.onProgress?.({ doing: 'checking', table: table.name, rows: 0, total: table.rows });
    options.signal?.throwIfAborted();
    tables[table.name] = table.name === journal ? table.rows : await compareRows(source, target, table);
  }
  await target.finish();
  return { head: source.head, tables, resumed };
}

/** Copies a table. Reads each page while the one before is written. */
async function* copyTable(source: CopySource, target: CopyTarget, table: CopiedTable): AsyncGenerator<number> {
  let { rows, next } = target.soFar(table);
  let writing: Promise<void> = Promise.resolve();
  for (;;) {
    const page = source.page(table, next);
    await writing;
    yield rows;
    if (page.rows.length === 0) return;
    writing = target.write(table, page);
    // Awaited in the next iteration; until then an error must not count as unhandled.
    writing.catch(() => undefined);
    ({ next } = page);
    rows += page.rows.length;
  }
}

async function compareRows(source: CopySource, target: CopyTarget, table: CopiedTable): Promise<number> {
  const [ours, theirs] = [new RowDigest(), new RowDigest()];
  for await (const rows of sourceRows(source, table)) ours.add(rows);
  for await (const rows of target.rows(table)) theirs.add(rows);
  if (ours.text === theirs.text) return ours.rows;
  const counts = ours.rows === theirs.rows ? '' : `: ${theirs.rows} rows instead of ${ours.rows}`;
  throw differenceError(target, `the table ${table.name} is not the same on both sides${counts}`);
}

async function* sourceRows(source: CopySource, table: CopiedTable): AsyncGenerator<readonly CopiedRow[]> {
  for (let page = source.page(table, undefined); page.rows.length > 0; page = source.page(table, page.next)) {
    yield page.rows;
    await yieldTurn();
  }
}

function differenceError(target: CopyTarget, what: string): SignalboxError {
  return new SignalboxError(
    'copy-failed',
    `${what}. Was the source changed after the copy started? Use --restart to copy everything again; ${target.location} cannot be used until a copy is complete`,
  );
}

/** A digest of the rows of a table that does not depend on their order, because each store has its own order. */
class RowDigest {
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

/** Replaces NUL by U+FFFD, as stores that cannot store NUL do. */
function withoutNul(value: CopiedValue): CopiedValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
