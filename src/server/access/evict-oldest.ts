/** Removes the oldest entry of a collection that has `maxSize` entries. */
export function evictOldest(entries: Map<string, unknown> | Set<string>, maxSize: number): void {
  if (entries.size < maxSize) return;
  const [oldest = ''] = entries.keys();
  entries.delete(oldest);
}
