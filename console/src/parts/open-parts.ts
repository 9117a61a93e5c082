/** How many entries of a list or an object are shown before the rest is folded. */
export const firstEntries = 200;
/** More values at once take a browser longer than a reader waits. */
const maxOpenValues = 1000;
const maxSmall = 20;

/**
 * Returns the lists and objects of a JSON value that are open at first: all of them, or as many as can be drawn at once. Small ones
 * come first, so that a large table does not fold what is beside it.
 */
export function openParts(value: object): ReadonlySet<object> {
  const open = new Set<object>();
  const small = [value];
  const large: object[] = [];
  let count = 0;
  for (const queue of [small, large])
    // Queues grow while they are read.
    for (const part of queue) {
      const entries: readonly unknown[] = Object.values(part);
      if (queue === small && entries.length > maxSmall && part !== value) {
        large.push(part);
        continue;
      }
      const shown = entries.slice(0, firstEntries);
      if (count + shown.length > maxOpenValues) continue;
      count += shown.length;
      open.add(part);
      for (const each of shown) if (typeof each === 'object' && each !== null) queue.push(each);
    }
  return open;
}
