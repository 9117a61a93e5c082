import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The size of both semi-spaces. The garbage of a call is collected before one is full; a larger space costs memory and saves little. */
const maxYoungSpaceBytes = 16 * 1024 * 1024;

const growthFactor = 'semi-space-growth-factor';

/** Flags for a program whose calls allocate much short-lived memory. */
const flags: Readonly<Record<string, string>> = {
  // With pretenuring, V8 allocates objects of busy call sites in the old space, where they retain most of a call until the next
  // full collection.
  'allocation-site-pretenuring': '--no-allocation-site-pretenuring',
  // The memory reducer runs a few seconds after the last call and discards compiled code, which doubled the duration of calls for
  // half a minute after a pause.
  'memory-reducer-favors-memory': '--no-memory-reducer-favors-memory',
  // By default the heap grows to four times its live size before a full collection; twice the size is as fast.
  'heap-growing-percent': '--heap-growing-percent=100',
};

/** The names of the V8 flags that are set here. */
export const v8Flags: readonly string[] = [...Object.keys(flags), growthFactor];

/** The V8 versions that are known to have all of these flags. */
const verifiedVersions = /^13\.6\./;

/**
 * Sets V8's garbage collection flags and bounds the space for young objects. Call it after all modules are loaded, because V8 accepts
 * cached code only under the flags it was compiled with; and before the first calls, because V8 keeps the heap limits that it
 * computes in its first full collection.
 */
export function tuneGarbageCollection(): void {
  if (verifiedVersions.test(process.versions.v8)) tune(() => true);
  // V8 prints an error for a flag that it does not know, so the flags of other versions are listed first.
  else void listFlags().then((help) => tune((name) => help.includes(`--${name} `)));
}

function tune(isKnown: (name: string) => boolean): void {
  for (const [name, flag] of Object.entries(flags)) if (isKnown(name)) setFlagsFromString(flag);
  if (!isKnown(growthFactor)) return;
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks');
  let isBounded = false;
  const adjust = (): void => {
    const isLarge = youngSpaceBytes() >= maxYoungSpaceBytes;
    if (isLarge !== isBounded) setFlagsFromString(`--${growthFactor}=${isLarge ? 1 : 2}`);
    isBounded = isLarge;
  };
  adjust();
  // The space grows only in a collection.
  new PerformanceObserver(adjust).observe({ entryTypes: ['gc'] });
}

/** Returns the help text of `node --v8-options`; an empty one when it cannot be run. */
export async function listFlags(): Promise<string> {
  const { execFile } = await import('node:child_process');
  return await new Promise((resolve) => {
    execFile(process.execPath, ['--v8-options'], (_error, text) => resolve(text));
  });
}

function youngSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
