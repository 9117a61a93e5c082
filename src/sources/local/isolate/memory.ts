import type { Worker } from 'node:worker_threads';

const pollEveryMs = 25;
const megabyte = 2 ** 20;

/** The memory at which a worker is killed, and V8's own limit, far above. */
export interface MemoryLimits {
  readonly killAboveMb: number;
  readonly heapLimitMb: number;
}

/**
 * A worker at V8's limit is only sometimes ended: one more allocation of some megabytes at that point aborts the whole
 * process. So the worker is watched and killed long before. What is seen includes garbage, of which V8 lets 512 MB pile
 * up before the first full collection and later about as much as is in use; hence twice the limit. The headroom above
 * takes the largest array that V8 can make, together with the one it was copied from.
 */
export function memoryLimits(memoryMb: number): MemoryLimits {
  const killAboveMb = Math.max(640, 2 * memoryMb);
  return { killAboveMb, heapLimitMb: killAboveMb + 2048 };
}

/** Calls `exceeded` when the worker uses more memory than allowed, buffers included. Returns the function that stops watching. */
export function watchMemory(worker: Worker, limits: MemoryLimits, exceeded: () => void): () => void {
  let watching = true;
  let timer = later();

  function later(): NodeJS.Timeout {
    return setTimeout(poll, pollEveryMs).unref();
  }

  function poll(): void {
    // The statistics come by an interrupt, so an endless loop does not block them. A starting worker has none.
    worker.getHeapStatistics().then(judge, () => judge({ used_heap_size: 0, external_memory: 0 }));
  }

  function judge(heap: { used_heap_size: number; external_memory: number }): void {
    if (!watching) return;
    if (heap.used_heap_size + heap.external_memory > limits.killAboveMb * megabyte) exceeded();
    else timer = later();
  }

  return () => {
    watching = false;
    clearTimeout(timer);
  };
}
