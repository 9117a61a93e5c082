let waiting: (() => void)[] = [];

/**
 * Does what came up in one turn of the event loop together at its end, for whatever the answers that arrive by themselves on many
 * connections lead to: what they have in common, above all a commit, is then done once and not for each of them.
 */
export function together(work: () => void): void {
  if (waiting.length === 0) setImmediate(workOff);
  waiting.push(work);
}

function workOff(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) work();
}
