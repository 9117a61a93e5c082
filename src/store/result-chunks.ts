import type { ResultPage } from '../journal/store/store.ts';

/** How many UTF-16 units a chunk of a kept result has. */
export const resultChunkChars = 65_536;

/** A part of a result that is kept. */
export interface ResultChunk {
  readonly start: number;
  /** As JSON text: a chunk may begin or end inside a surrogate pair, which no database's UTF-8 could hold. */
  readonly text: string;
}

/** A result in the chunks it is kept in. */
export function splitResult(text: string): ResultChunk[] {
  const chunks: ResultChunk[] = [];
  for (let start = 0; start < text.length; start += resultChunkChars)
    chunks.push({ start, text: JSON.stringify(text.slice(start, start + resultChunkChars)) });
  return chunks;
}

/** The page from one place to another, of the chunks that it is in. */
export function toResultPage(
  result: Pick<ResultPage, 'owner' | 'mimeType' | 'total'>,
  chunks: Iterable<ResultChunk>,
  offset: number,
  end: number,
): ResultPage {
  let text = '';
  for (const chunk of chunks)
    text += (JSON.parse(chunk.text) as string).slice(Math.max(0, offset - chunk.start), end - chunk.start);
  // A page that is not the last ends between characters, never inside one.
  if (end < result.total && text.length > 1 && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
  const next = offset + text.length;
  return { ...result, text, offset, ...(next < result.total ? { next } : {}) };
}
