import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together. What a call makes is gone before one is full; larger, it takes memory and makes hardly anything faster. */
const enough = 16 * 1024 * 1024;

/**
 * Bounds the space for young objects of a program that makes much for every call, and keeps nothing of it. To be called when it has
 * started: V8 takes compiled code only under the flags under which it was compiled. The flags that never change are the launcher's.
 */
export function boundGarbage(): void {
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
