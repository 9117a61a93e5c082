import { Worker } from 'node:worker_threads';
import { compileCacheEnv } from '../../../core/compile-cache.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { messageOf } from '../../../core/errors.ts';
import { died, outOfMemory, revive } from './failures.ts';
import { memoryLimits, watchMemory } from './memory.ts';
import type { IsolatedCall, IsolateOrigin, IsolateSetup, StateChanges, WorkerMessage } from './messages.ts';

/** One worker thread, which serves one call at a time. */
export interface IsolateThread {
  /** False once it has died, was killed or could not load its handler. */
  readonly usable: boolean;
  /** Resolves when the thread has ended, or soon after `kill` if it does not. */
  readonly gone: Promise<void>;
  run(args: unknown, context: ToolContext): Promise<unknown>;
  /** Ends the thread whatever it is doing; its call rejects with the reason. */
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
/** A native call (execSync, pbkdf2Sync) cannot be interrupted; nobody should wait for its thread. */
const killGraceMs = 1000;
const inheritedVariables = ['LANG', 'LC_ALL', 'NODE_ENV', 'TZ'];

/** Starts a worker; it loads its handler with the first call. */
export function startThread(origin: IsolateOrigin, memoryMb: number): IsolateThread {
  const { tool } = origin;
  const limits = memoryLimits(memoryMb);
  const backlog = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(workerUrl, {
    name: `isolate ${tool}`,
    workerData: { ...origin, signalboxIsolate: true, backlog } satisfies IsolateSetup,
    // The process's environment holds secrets that are meant for others; a handler gets what it needs as arguments.
    env: { ...environment(), ...compileCacheEnv() },
    // Nobody reads this stdout: the worker prints to stderr instead, which Node passes on to the process's stderr.
    stdout: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.heapLimitMb },
    ...commandLine(origin),
  });
  const gone = Promise.withResolvers<void>();
  let usable = true;
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
      // The context's own progress or state threw, which no answer to the worker can undo.
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
    gone.resolve();
  });
  worker.unref();
  // Between calls too: a handler may leave work behind.
  const unwatch = watchMemory(worker, limits, () => kill(outOfMemory(tool, memoryMb)));

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
        // A failed import stays failed in its thread; a new one tries again.
        if (!message.loaded) kill(undefined);
        return;
    }
  }

  function end(reason: unknown): void {
    if (usable) death = reason;
    usable = false;
    unwatch();
    const current = inFlight;
    current?.settle();
    current?.reject(death);
  }

  function kill(reason: unknown): void {
    if (!usable) return;
    end(reason);
    worker.ref();
    grace = setTimeout(() => {
      worker.unref();
      gone.resolve();
    }, killGraceMs);
    void worker.terminate();
  }

  function run(args: unknown, context: ToolContext): Promise<unknown> {
    const { signal } = context;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!usable) return Promise.reject(death);
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
    get usable() {
      return usable;
    },
    gone: gone.promise,
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
