import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { StoredResult, ResultPage } from '../../../journal/store/store.ts';
import { type ResultChunk, toResultPage, resultChunkChars, splitResult } from '../../result-chunks.ts';

/** Stores large results in chunks, so that reading a page does not read the whole result. */
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
    this.#find = database.prepare('SELECT owner, mime_type AS mimeType, total FROM results WHERE id = ?');
    this.#chunks = database.prepare(
      'SELECT start, text FROM result_pages WHERE id = ? AND start > ? AND start < ? ORDER BY start',
    );
  }

  store({ id, owner, mimeType, text }: StoredResult): void {
    this.#transaction(() => {
      this.#insert.run(id, owner, mimeType, text.length, Date.now());
      for (const chunk of splitResult(text)) this.#insertChunk.run(id, chunk.start, chunk.text);
    });
  }

  read(id: string, offset: number, limit: number): ResultPage | undefined {
    const found = this.#find.get(id) as { owner: string; mimeType: string; total: number } | undefined;
    if (found === undefined) return undefined;
    const end = Math.min(offset + limit, found.total);
    const chunks = this.#chunks.iterate(id, offset - resultChunkChars, end) as Iterable<unknown>;
    return toResultPage(found, chunks as Iterable<ResultChunk>, offset, end);
  }
}
