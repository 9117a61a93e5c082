let waiting: (() => void)[] = [];
let isRunningBatch = false;

/**
 * Runs work at the end of this turn of the event loop, together with all other work of the turn. Responses arrive one by one on many
 * connections; handled together, they share the commit of the journal.
 */
export function batchPerTick(work: () => void): void {
  if (waiting.length === 0) {
    setImmediate(runBatch);
    // In the same turn, after all microtasks of the batch.
    setImmediate(endBatch);
  }
  waiting.push(work);
}

/** Runs work at the end of this turn in the current asynchronous context, or at once while the batch of this turn runs. */
export function atEndOfTick(work: () => void): void {
  if (isRunningBatch) work();
  else setImmediate(work);
}

function runBatch(): void {
  const all = waiting;
  waiting = [];
  isRunningBatch = true;
  for (const work of all) work();
}

function endBatch(): void {
  isRunningBatch = false;
}
