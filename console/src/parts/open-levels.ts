/** How many entries of a list or an object are shown before the rest is folded. */
export const firstEntries = 200;
/** More values at once take a browser longer than a reader waits. */
const maxOpenValues = 1500;

/** Returns how many levels of a JSON value can be open at first. All of them unless there is too much to draw. */
export function openLevels(value: unknown): number {
  let level: readonly unknown[] = [value];
  let count = 0;
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === 'object' && each !== null) next.push(...Object.values(each).slice(0, firstEntries));
    count += next.length;
    if (count > maxOpenValues) return depth;
    level = next;
  }
  return Number.POSITIVE_INFINITY;
}
