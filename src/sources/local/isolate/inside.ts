import { workerData } from 'node:worker_threads';

/** Whether this is the worker of an isolated handler, where the module that `isolate` names is imported once more. */
export function insideIsolate(): boolean {
  const data: unknown = workerData;
  return typeof data === 'object' && data !== null && 'signalboxIsolate' in data;
}
