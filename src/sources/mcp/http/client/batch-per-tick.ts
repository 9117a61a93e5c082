let waiting: (() => void)[] = [];

/**
 * Runs work at the end of this turn of the event loop, together with all other work of the turn. Responses arrive one by one on many
 * connections; handled together, they share the commit of the journal.
 */
export function batchPerTick(work: () => void): void {
  if (waiting.length === 0) setImmediate(runBatch);
  waiting.push(work);
}

function runBatch(): void {
  const all = waiting;
  waiting = [];
  for (const work of all) work();
}
