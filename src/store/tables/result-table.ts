import type { ResultPage, StoredResult } from '../../journal/store/store.ts';
import { type Dialect, type TableDatabase, change, execute } from './table-database.ts';

export function resultSchema({ integer, rowTable, keyTable }: Dialect): string {
  return `
CREATE TABLE results (
  id text PRIMARY KEY, owner text NOT NULL, mime_type text NOT NULL, total ${integer} NOT NULL, at ${integer} NOT NULL
) ${rowTable};
CREATE TABLE result_pages (id text NOT NULL, start ${integer} NOT NULL, text text NOT NULL, PRIMARY KEY (id, start)) ${keyTable};
`;
}

/** The size of a chunk in UTF-16 code units. */
const chunkChars = 65_536;

/** A part of a stored result. */
interface Chunk {
  readonly start: number;
  /** JSON text, because a chunk may begin or end inside a surrogate pair, which is not valid UTF-8. */
  readonly text: string;
}

/** Stores large results in chunks, so that reading a page does not read the whole result. */
export class ResultTable {
  readonly #database: TableDatabase;

  constructor(database: TableDatabase) {
    this.#database = database;
  }

  async store({ id, owner, mimeType, text }: StoredResult): Promise<void> {
    const insert = 'INSERT INTO results VALUES (?, ?, ?, ?, ?)';
    const result = change(insert, [id, owner, mimeType, text.length, Date.now()]);
    // One statement per chunk, because one statement for all would hold a second copy of the result.
    const chunks = chunksOf(text).map(({ start, text: part }) =>
      change('INSERT INTO result_pages VALUES (?, ?, ?)', [id, start, part]),
    );
    await this.#database.run(() => execute(result, ...chunks));
  }

  async read(id: string, offset: number, limit: number): Promise<ResultPage | undefined> {
    const sql = 'SELECT owner, mime_type AS "mimeType", total FROM results WHERE id = ?';
    const [found] = await this.#database.rows<Pick<ResultPage, 'owner' | 'mimeType' | 'total'>>(sql, [id]);
    if (found === undefined) return undefined;
    const end = Math.min(offset + limit, found.total);
    const chunks = await this.#database.rows<Chunk>(
      'SELECT start, text FROM result_pages WHERE id = ? AND start > ? AND start < ? ORDER BY start',
      [id, offset - chunkChars, end],
    );
    let text = '';
    for (const chunk of chunks)
      text += (JSON.parse(chunk.text) as string).slice(Math.max(0, offset - chunk.start), end - chunk.start);
    // A page never ends inside a surrogate pair, except at the end of the result.
    if (end < found.total && text.length > 1 && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
    const next = offset + text.length;
    return { ...found, text, offset, ...(next < found.total ? { next } : {}) };
  }
}

function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  for (let start = 0; start < text.length; start += chunkChars)
    chunks.push({ start, text: JSON.stringify(text.slice(start, start + chunkChars)) });
  return chunks;
}
