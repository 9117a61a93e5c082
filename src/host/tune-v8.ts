import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together. What a call makes is gone before one is full; larger, it takes memory and makes hardly anything faster. */
const enough = 16 * 1024 * 1024;

/** Of a program that makes much with every call, and keeps nothing of it. */
const flags = [
  // V8 takes places in the code whose objects outlived some collections for those of long-lived ones, and makes what they make among
  // the old from then on. There it keeps all that it points to, most of a call, until the next full collection.
  '--no-allocation-site-pretenuring',
  // Some seconds after the last call V8 would make everything as small as it can, and throw compiled code away with it: the calls after
  // a pause took twice as long, for half a minute.
  '--no-memory-reducer-favors-memory',
  // V8 would let the heap become four times as large as what lives in it before it looks through all of it: twice is as fast.
  '--heap-growing-percent=100',
] as const;

/**
 * Says how garbage is collected, and bounds the space for young objects. To be called when all is loaded, because V8 takes compiled code
 * only under the flags under which it was compiled, and Node's own modules are compiled without any; and before the first calls: what
 * V8 allows itself after its first full collection, it keeps.
 */
export function boundGarbage(): void {
  for (const flag of flags) setFlagsFromString(flag);
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  let isBounded = false;
  const look = (): void => {
    const isLarge = youngSpace() >= enough;
    if (isLarge !== isBounded) setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`);
    isBounded = isLarge;
  };
  look();
  // The space changes in a collection alone.
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
}

function youngSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
