import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together. What a call makes is gone before one is full; larger, it takes memory and makes hardly anything faster. */
const enough = 16 * 1024 * 1024;

/** Fits V8's collection of garbage to a program that makes much for every call, and keeps nothing of it. */
export function fitGarbageCollection(): void {
  // V8 takes places in the code whose objects outlived some collections for those of long-lived ones, and makes what they make among
  // the old from then on. There it keeps all that it points to, most of a call, until the next full collection.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Some seconds after the last call V8 would make everything as small as it can, and throw compiled code away with it: the calls after a
  // pause took twice as long, for half a minute.
  setFlagsFromString('--no-memory-reducer-favors-memory');
  let isBounded = false;
  // The space for young objects changes in a collection alone.
  const collections = new PerformanceObserver(() => {
    const isLarge = youngSpace() >= enough;
    if (isLarge !== isBounded) setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`);
    isBounded = isLarge;
  });
  collections.observe({ entryTypes: ['gc'] });
}

function youngSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
