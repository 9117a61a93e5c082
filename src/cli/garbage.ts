import { flushCompileCache } from 'node:module';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together. What a call makes is gone before one is full; larger, it takes memory and makes hardly anything faster. */
const enough = 16 * 1024 * 1024;
/** The compiled code is kept at the exit; whoever is killed has kept it by then. */
const keptAfterMs = 5000;

/**
 * Bounds the space for young objects of a program that makes much for every call, and keeps nothing of it. To be called when it has
 * started: V8 takes compiled code only under the flags under which it was kept. The flags that never change are the launcher's.
 */
export function boundGarbage(): void {
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  let isBounded = false;
  const look = (): void => {
    const isLarge = youngSpace() >= enough;
    if (isLarge !== isBounded) setGrowth(isLarge);
    isBounded = isLarge;
  };
  look();
  // The space changes in a collection alone.
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] });
  setTimeout(() => {
    if (isBounded) setGrowth(false);
    flushCompileCache();
    if (isBounded) setGrowth(true);
  }, keptAfterMs).unref();
  process.once('exit', () => {
    if (isBounded) setGrowth(false);
  });
}

function setGrowth(isBounded: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${isBounded ? 1 : 2}`);
}

function youngSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
