import type { StoredResult, ResultPage } from '../../../journal/store/store.ts';
import { toResultPage, splitResult, resultChunkChars } from '../../result-chunks.ts';
import type { Database } from '../database.ts';

export const resultSchema = `
CREATE TABLE results (id text PRIMARY KEY, owner text NOT NULL, mime_type text NOT NULL, total integer NOT NULL, at bigint NOT NULL);
CREATE TABLE result_pages (id text NOT NULL, start integer NOT NULL, text text NOT NULL, PRIMARY KEY (id, start));
`;

/** Stores large results in chunks, so that reading a page does not read the whole result. */
export class ResultTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async store({ id, owner, mimeType, text }: StoredResult): Promise<void> {
    const chunks = splitResult(text);
    await this.#database.transaction(async (sql) => {
      const values = [id, owner, mimeType, text.length, Date.now()];
      await Promise.all([
        sql.change('INSERT INTO results VALUES ($1, $2, $3, $4, $5)', values),
        // One statement per chunk, because one statement for all would hold a second copy of the result.
        ...chunks.map((chunk) =>
          sql.change('INSERT INTO result_pages VALUES ($1, $2, $3)', [id, chunk.start, chunk.text]),
        ),
      ]);
    });
  }

  async read(id: string, offset: number, limit: number): Promise<ResultPage | undefined> {
    const sql = 'SELECT owner, mime_type AS "mimeType", total FROM results WHERE id = $1';
    const [found] = await this.#database.rows<{ owner: string; mimeType: string; total: number }>(sql, [id]);
    if (found === undefined) return undefined;
    const end = Math.min(offset + limit, found.total);
    const chunks = await this.#database.rows<{ start: number; text: string }>(
      'SELECT start, text FROM result_pages WHERE id = $1 AND start > $2 AND start < $3 ORDER BY start',
      [id, offset - resultChunkChars, end],
    );
    return toResultPage(found, chunks, offset, end);
  }
}
