import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { KeptResult, ResultPage } from '../../journal/store.ts';

const chunkSize = 65_536;

/** Keeps large results in chunks, so that reading a page costs the page and not the whole. */
export class ResultTable {
  readonly #transaction: (work: () => void) => void;
  readonly #insert: StatementSync;
  readonly #insertChunk: StatementSync;
  readonly #find: StatementSync;
  readonly #chunks: StatementSync;

  constructor(database: DatabaseSync, transaction: (work: () => void) => void) {
    this.#transaction = transaction;
    this.#insert = database.prepare('INSERT INTO results VALUES (?, ?, ?, ?, ?)');
    this.#insertChunk = database.prepare('INSERT INTO result_pages VALUES (?, ?, ?)');
    this.#find = database.prepare('SELECT owner, mime_type, total FROM results WHERE id = ?');
    this.#chunks = database.prepare(
      'SELECT start, text FROM result_pages WHERE id = ? AND start > ? AND start < ? ORDER BY start',
    );
  }

  keep(result: KeptResult): void {
    this.#transaction(() => {
      this.#insert.run(result.id, result.owner, result.mimeType, result.text.length, Date.now());
      for (let start = 0; start < result.text.length; start += chunkSize) {
        // As JSON text: a chunk may begin or end inside a surrogate pair, which SQLite's UTF-8 could not hold.
        this.#insertChunk.run(result.id, start, JSON.stringify(result.text.slice(start, start + chunkSize)));
      }
    });
  }

  read(id: string, offset: number, limit: number): ResultPage | undefined {
    const found = this.#find.get(id) as { owner: string; mime_type: string; total: number } | undefined;
    if (found === undefined) return undefined;
    const end = Math.min(offset + limit, found.total);
    let text = '';
    for (const row of this.#chunks.iterate(id, offset - chunkSize, end)) {
      const { start, text: chunk } = row as { start: number; text: string };
      text += (JSON.parse(chunk) as string).slice(Math.max(0, offset - start), end - start);
    }
    // A page that is not the last ends between characters, never inside one.
    if (end < found.total && text.length > 1 && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
    const next = offset + text.length;
    return {
      owner: found.owner,
      mimeType: found.mime_type,
      text,
      offset,
      total: found.total,
      ...(next < found.total ? { next } : {}),
    };
  }
}
