import { compileCacheEnv } from '../../../core/compile-cache.ts';
import { messageOf } from '../../../core/errors.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import type {
  IsolateOrigin,
  IsolateSetup,
  IsolatedCall,
  StateChanges,
  SerializedError,
  WorkerMessage,
} from './messages.ts';
import { Worker } from 'node:worker_threads';

/** A worker thread that runs one call at a time. */
export interface IsolateThread {
  /** False when the thread has died, was killed or could not load its handler. */
  readonly isUsable: boolean;
  /** Resolves when the thread has exited, or soon after `kill` if it does not. */
  readonly exited: Promise<void>;
  run(args: unknown, context: ToolContext): Promise<unknown>;
  /** Kills the thread. Its call rejects with the reason. */
  kill(reason: unknown): void;
}

interface CallInFlight {
  readonly call: number;
  readonly context: ToolContext;
  settle(): void;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

const workerUrl = import.meta.url.endsWith('.ts')
  ? new URL('./isolate-worker.ts', import.meta.url)
  : new URL('./isolate-worker.js', import.meta.url);
/** Time to wait for a killed thread: a native call (execSync, pbkdf2Sync) cannot be interrupted. */
const killGraceMs = 1000;
const memoryPollMs = 25;
/** Room for the largest array that V8 can allocate, and for the one that it was copied from. */
const heapHeadroomMb = 2048;
const megabyte = 2 ** 20;
const inheritedVariables = ['LANG', 'LC_ALL', 'NODE_ENV', 'TZ'];

/** Starts a worker; it loads its handler with the first call. */
export function startThread(origin: IsolateOrigin, memoryMb: number): IsolateThread {
  const { tool } = origin;
  // The statistics include garbage: V8 collects up to 512 MB before the first full collection, and later about as much as is in use.
  const killAboveMb = Math.max(640, 2 * memoryMb);
  const backlog = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(workerUrl, {
    name: `isolate ${tool}`,
    workerData: { ...origin, signalboxIsolate: true, backlog } satisfies IsolateSetup,
    // The environment of the process holds secrets that are not for handlers.
    env: { ...environment(), ...compileCacheEnv() },
    // The worker prints to stderr, which Node forwards to the stderr of the process.
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: killAboveMb + heapHeadroomMb },
    ...commandLine(origin),
  });
  const exited = Promise.withResolvers<void>();
  let isUsable = true;
  let calls = 0;
  let inFlight: CallInFlight | undefined;
  let death: unknown = new Error(`The worker of the isolated tool "${tool}" has ended.`);
  let grace: NodeJS.Timeout | undefined;

  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'progress') {
      Atomics.sub(backlog, 0, 1);
      Atomics.notify(backlog, 0);
    }
    const current = inFlight;
    if (current?.call !== message.call) return;
    try {
      receive(message, current);
    } catch (error) {
      // `progress` or `state` of the context threw, which the worker cannot handle.
      kill(error);
    }
  });
  worker.on('messageerror', (error) => {
    kill(new Error(`A message from the worker of the isolated tool "${tool}" cannot be read: ${messageOf(error)}`));
  });
  worker.on('error', (error) => end(died(tool, error, memoryMb)));
  worker.on('exit', (code) => {
    end(new Error(`The isolated tool "${tool}" ended its own worker: process.exit, with code ${code}.`));
    clearTimeout(grace);
    exited.resolve();
  });
  worker.unref();
  // Also between calls, since a handler may leave work behind.
  const unwatch = watchMemory(worker, killAboveMb, () => kill(outOfMemory(tool, memoryMb)));

  function receive(message: WorkerMessage, current: CallInFlight): void {
    switch (message.kind) {
      case 'progress':
        current.context.progress(message.progress);
        return;
      case 'succeeded':
        apply(message.changes, current.context);
        current.settle();
        current.resolve(message.value);
        return;
      case 'failed':
        current.settle();
        current.reject(revive(message.thrown));
        // A failed import stays failed in its thread, so the next call gets a new one.
        if (!message.loaded) kill(undefined);
        return;
    }
  }

  function end(reason: unknown): void {
    if (isUsable) death = reason;
    isUsable = false;
    unwatch();
    const current = inFlight;
    current?.settle();
    current?.reject(death);
  }

  function kill(reason: unknown): void {
    if (!isUsable) return;
    end(reason);
    worker.ref();
    grace = setTimeout(() => {
      worker.unref();
      exited.resolve();
    }, killGraceMs);
    void worker.terminate();
  }

  function run(args: unknown, context: ToolContext): Promise<unknown> {
    const { signal } = context;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!isUsable) return Promise.reject(death);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const call = ++calls;
    try {
      worker.postMessage(callMessage(call, args, context), []);
    } catch (error) {
      return Promise.reject(
        new Error(`The arguments of the isolated tool "${tool}" cannot be passed between threads: ${messageOf(error)}`),
      );
    }
    const aborted = (): void => kill(signal.reason);
    signal.addEventListener('abort', aborted, { once: true });
    const settle = (): void => {
      inFlight = undefined;
      signal.removeEventListener('abort', aborted);
      worker.unref();
    };
    inFlight = { call, context, settle, resolve, reject };
    worker.ref();
    return promise;
  }

  return {
    get isUsable() {
      return isUsable;
    },
    exited: exited.promise,
    run,
    kill,
  };
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    inheritedVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A module may need the loaders of this process; with `--input-type` the worker would refuse its own entry. */
function commandLine({ form }: IsolateOrigin): { execArgv?: string[] } {
  const inherit = form === 'module' && !process.execArgv.some((argument) => argument.startsWith('--input-type'));
  return inherit ? {} : { execArgv: [] };
}

function callMessage(call: number, args: unknown, context: ToolContext): IsolatedCall {
  const { callId, session, principal, deadline } = context;
  const state = new Map(
    context.state.keys().flatMap((key) => {
      const value = context.state.get(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
  return { call, args, callId, session, principal, deadline, state };
}

function apply(changes: StateChanges, { state }: ToolContext): void {
  for (const [key, value] of changes) {
    if (value === undefined) state.delete(key);
    else state.set(key, value);
  }
}

/** Converts an error of the handler to a value of this thread. */
function revive(thrown: SerializedError): unknown {
  if ('value' in thrown) return thrown.value;
  const { name, message, stack } = thrown.error;
  const error = new Error(message);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  error.stack = stack;
  return error;
}

/** Returns the error of a worker that died. */
function died(tool: string, error: unknown, memoryMb: number): Error {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return outOfMemory(tool, memoryMb);
  return new Error(`The worker of the isolated tool "${tool}" died of an uncaught error: ${messageOf(error)}`);
}

/** Returns the error of a call that used too much memory. */
function outOfMemory(tool: string, memoryMb: number): Error {
  return new Error(
    `The isolated tool "${tool}" ran out of memory: it held far more than the ${memoryMb} MB it may use. ` +
      'Give it less to do, or raise memoryMb.',
  );
}

/**
 * Calls `exceeded` when the worker uses more memory than allowed, buffers included. Returns the function that stops watching.
 * A worker at V8's limit is only sometimes ended: one more allocation of some megabytes at that point aborts the whole process.
 */
function watchMemory(worker: Worker, killAboveMb: number, exceeded: () => void): () => void {
  let watching = true;
  let timer = later();

  function later(): NodeJS.Timeout {
    return setTimeout(poll, memoryPollMs).unref();
  }

  function poll(): void {
    // The statistics come by an interrupt, so an endless loop does not block them. A starting worker has none.
    worker.getHeapStatistics().then(judge, () => judge({ used_heap_size: 0, external_memory: 0 }));
  }

  function judge(heap: { used_heap_size: number; external_memory: number }): void {
    if (!watching) return;
    if (heap.used_heap_size + heap.external_memory > killAboveMb * megabyte) exceeded();
    else timer = later();
  }

  return () => {
    watching = false;
    clearTimeout(timer);
  };
}
