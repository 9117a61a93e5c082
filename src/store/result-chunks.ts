import type { ResultPage } from '../journal/store/store.ts';

/** The size of a chunk of a stored result, in UTF-16 code units. */
export const resultChunkChars = 65_536;

/** A part of a stored result. */
export interface ResultChunk {
  readonly start: number;
  /** JSON text, because a chunk may begin or end inside a surrogate pair, which is not valid UTF-8. */
  readonly text: string;
}

/** Splits a result into chunks. */
export function splitResult(text: string): ResultChunk[] {
  const chunks: ResultChunk[] = [];
  for (let start = 0; start < text.length; start += resultChunkChars)
    chunks.push({ start, text: JSON.stringify(text.slice(start, start + resultChunkChars)) });
  return chunks;
}

/** Builds the page from `offset` to `end` from the chunks that contain it. */
export function toResultPage(
  result: Pick<ResultPage, 'owner' | 'mimeType' | 'total'>,
  chunks: Iterable<ResultChunk>,
  offset: number,
  end: number,
): ResultPage {
  let text = '';
  for (const chunk of chunks)
    text += (JSON.parse(chunk.text) as string).slice(Math.max(0, offset - chunk.start), end - chunk.start);
  // A page never ends inside a surrogate pair, except at the end of the result.
  if (end < result.total && text.length > 1 && /[\uD800-\uDBFF]$/.test(text)) text = text.slice(0, -1);
  const next = offset + text.length;
  return { ...result, text, offset, ...(next < result.total ? { next } : {}) };
}
