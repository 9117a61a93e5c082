/** The number of entries of a list or an object that are shown before the rest is folded. */
export const initialEntries = 200;
/** Rendering more values at once is noticeably slow. */
const maxOpenValues = 1000;
const maxSmall = 20;

/**
 * Returns the lists and objects of a JSON value that are open at first: all of them, or as many as render quickly. Small ones
 * come first, so that a large table does not fold its siblings.
 */
export function initiallyOpen(value: object): ReadonlySet<object> {
  const open = new Set<object>();
  const small = [value];
  const large: object[] = [];
  let count = 0;
  for (const queue of [small, large])
    // The queues grow during the iteration.
    for (const part of queue) {
      const entries: readonly unknown[] = Object.values(part);
      if (queue === small && entries.length > maxSmall && part !== value) {
        large.push(part);
        continue;
      }
      const shown = entries.slice(0, initialEntries);
      if (count + shown.length > maxOpenValues) continue;
      count += shown.length;
      open.add(part);
      for (const each of shown) if (typeof each === 'object' && each !== null) queue.push(each);
    }
  return open;
}
