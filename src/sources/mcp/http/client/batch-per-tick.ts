let waiting: (() => void)[] = [];
let isEnding = false;

/**
 * Does what came up in one turn of the event loop together at its end. For answers, which arrive one by one on many connections: what
 * they lead to has much in common, above all a commit, and that is then done once and not for each of them.
 */
export function batchPerTick(work: () => void): void {
  if (waiting.length === 0) {
    setImmediate(workOff);
    // In the same turn, after all that follows at once from what was done.
    setImmediate(ended);
  }
  waiting.push(work);
}

/** Does something at the end of this turn, in the asynchronous context of this; at once where the turn is ending. */
export function atEndOfTick(work: () => void): void {
  if (isEnding) work();
  else setImmediate(work);
}

function workOff(): void {
  const all = waiting;
  waiting = [];
  isEnding = true;
  for (const work of all) work();
}

function ended(): void {
  isEnding = false;
}
