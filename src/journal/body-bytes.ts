import type { StoredEntry } from './entries/stored-entry.ts';

/** How many bytes the bodies of entries have together. */
export function bodyBytes(entries: readonly Pick<StoredEntry, 'body'>[]): number {
  let bytes = 0;
  for (const { body } of entries) bytes += Buffer.byteLength(body);
  return bytes;
}
