import { availableParallelism } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { IsolateOrigin } from './messages.ts';
import { sourceModule } from './source-module.ts';
import { type IsolateThread, startThread } from './thread.ts';

/** Runs one tool's handler in worker threads that can be killed. */
export interface Isolate {
  /**
   * Runs the handler in a worker. Rejects when the handler throws, when the worker dies, and with the signal's reason
   * when `context.signal` aborts, which kills the worker at once.
   */
  run(args: unknown, context: ToolContext): Promise<unknown>;
  /** Kills the workers and rejects the calls that run or wait. */
  close(): Promise<void>;
}

/** The handler to isolate, and its limits. */
export interface IsolateOptions {
  readonly tool: string;
  readonly handler: (...args: never[]) => unknown;
  /**
   * `true` runs the handler's source text, which may use only its arguments, globals and `await import('node:…')`.
   * A module URL (`import.meta.url`) has the worker import that module and find the tool among its exports; what the
   * module does when imported happens again in the worker.
   */
  readonly isolate: true | string;
  /** Maximum number of parallel calls; further ones wait. Default: number of processors minus one. */
  readonly maxWorkers?: number;
  /** Approximate memory limit of a call (default 512). */
  readonly memoryMb?: number;
  /** Stops a worker after this time without a call (default 30 s). */
  readonly idleMs?: number;
}

interface WaitingCall {
  resolve(thread: IsolateThread): void;
  reject(reason: unknown): void;
}

/** Creates the isolate of one tool. The first call starts the first worker. */
export function createIsolate(options: IsolateOptions): Isolate {
  // In the worker, which imports the tool's module again, the handler is isolated already.
  if (isInsideIsolate()) return inThisThread(options.handler);
  const { tool, memoryMb = 512, idleMs = 30_000, maxWorkers = Math.max(1, availableParallelism() - 1) } = options;
  const origin = originOf(options);
  const threads = new Set<IsolateThread>();
  const idle = new Map<IsolateThread, NodeJS.Timeout>();
  const waiting = new Set<WaitingCall>();
  let closed: SignalboxError | undefined;

  /** Returns the idle thread that was used last, so that surplus threads reach their idle limit. */
  function takeIdle(): IsolateThread | undefined {
    const thread = [...idle.keys()].findLast(({ isUsable }) => isUsable);
    if (thread === undefined) return undefined;
    clearTimeout(idle.get(thread));
    idle.delete(thread);
    return thread;
  }

  function start(): IsolateThread | undefined {
    if (threads.size >= maxWorkers) return undefined;
    const thread = startThread(origin, memoryMb);
    threads.add(thread);
    // A thread counts until it has exited, since it uses processor time until then.
    void thread.exited.then(() => {
      threads.delete(thread);
      clearTimeout(idle.get(thread));
      idle.delete(thread);
      serveWaiting();
    });
    return thread;
  }

  function acquire(signal: AbortSignal): Promise<IsolateThread> {
    const { promise, resolve, reject } = Promise.withResolvers<IsolateThread>();
    const call: WaitingCall = { resolve, reject };
    const aborted = (): void => {
      waiting.delete(call);
      reject(signal.reason);
    };
    signal.addEventListener('abort', aborted, { once: true });
    waiting.add(call);
    serveWaiting();
    return promise.finally(() => signal.removeEventListener('abort', aborted));
  }

  function serveWaiting(): void {
    for (const call of waiting) {
      let thread: IsolateThread | undefined;
      try {
        thread = takeIdle() ?? start();
      } catch (error) {
        waiting.delete(call);
        call.reject(error);
        continue;
      }
      if (thread === undefined) return;
      waiting.delete(call);
      call.resolve(thread);
    }
  }

  function release(thread: IsolateThread): void {
    if (!thread.isUsable) return;
    const timer = setTimeout(() => thread.kill(undefined), idleMs).unref();
    idle.set(thread, timer);
    serveWaiting();
  }

  async function run(args: unknown, context: ToolContext): Promise<unknown> {
    context.signal.throwIfAborted();
    if (closed !== undefined) throw closed;
    const thread = await acquire(context.signal);
    try {
      return await thread.run(args, context);
    } finally {
      release(thread);
    }
  }

  async function close(): Promise<void> {
    closed ??= new SignalboxError('box-closed', `The tool "${tool}" was closed: its isolated calls are ended.`);
    for (const call of waiting) call.reject(closed);
    waiting.clear();
    for (const thread of threads) thread.kill(closed);
    await Promise.all([...threads].map(({ exited }) => exited));
  }

  return { run, close };
}

function originOf({ tool, handler, isolate }: IsolateOptions): IsolateOrigin {
  if (isolate === true) return { tool, form: 'source', url: sourceModule(tool, handler) };
  if (/^(?:file|data):/.test(isolate) && URL.canParse(isolate)) return { tool, form: 'module', url: isolate };
  throw new SignalboxError(
    'tool-invalid',
    `The tool "${tool}" cannot be isolated: "${isolate}" is not the URL of a module. Use isolate: import.meta.url.`,
  );
}

function inThisThread(handler: (...args: never[]) => unknown): Isolate {
  return {
    run: async (args, context) => Reflect.apply(handler, undefined, [args, context]),
    close: async () => {},
  };
}

/** Returns whether this is the worker of an isolated handler, which imports the module that `isolate` names again. */
function isInsideIsolate(): boolean {
  const data: unknown = workerData;
  return typeof data === 'object' && data !== null && 'signalboxIsolate' in data;
}
