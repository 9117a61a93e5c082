import { workerData } from 'node:worker_threads';

/** Returns whether this is the worker of an isolated handler, which imports the module that `isolate` names again. */
export function isInsideIsolate(): boolean {
  const data: unknown = workerData;
  return typeof data === 'object' && data !== null && 'signalboxIsolate' in data;
}
