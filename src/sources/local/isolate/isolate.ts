import { availableParallelism } from 'node:os';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { insideIsolate } from './inside.ts';
import type { IsolateOrigin } from './messages.ts';
import { sourceModule } from './source.ts';
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

/** Which handler to isolate, and how much it may take. */
export interface IsolateOptions {
  readonly tool: string;
  readonly handler: (...args: never[]) => unknown;
  /**
   * `true` runs the handler's source text, which may use only its arguments, globals and `await import('node:…')`.
   * A module URL (`import.meta.url`) has the worker import that module and find the tool among its exports; what the
   * module does when imported happens again in the worker.
   */
  readonly isolate: true | string;
  /** How many calls run at the same time; further ones wait. One less than there are processors by default. */
  readonly maxWorkers?: number;
  /** About how much memory a call may keep: 512 unless said otherwise. */
  readonly memoryMb?: number;
  /** After how long without a call a worker is ended: 30 seconds unless said otherwise. */
  readonly idleMs?: number;
}

interface WaitingCall {
  resolve(thread: IsolateThread): void;
  reject(reason: unknown): void;
}

/** An isolate for one tool. It starts no worker before the first call. */
export function createIsolate(options: IsolateOptions): Isolate {
  // A worker that imports its tool's module comes by here again; it is isolated already.
  if (insideIsolate()) return inThisThread(options.handler);
  const { tool, memoryMb = 512, idleMs = 30_000, maxWorkers = Math.max(1, availableParallelism() - 1) } = options;
  const origin = originOf(options);
  const threads = new Set<IsolateThread>();
  const idle = new Map<IsolateThread, NodeJS.Timeout>();
  const waiting = new Set<WaitingCall>();
  let closed: SignalboxError | undefined;

  /** The thread that was used last, so that those which are not needed grow old. */
  function takeIdle(): IsolateThread | undefined {
    const thread = [...idle.keys()].findLast(({ usable }) => usable);
    if (thread === undefined) return undefined;
    clearTimeout(idle.get(thread));
    idle.delete(thread);
    return thread;
  }

  function start(): IsolateThread | undefined {
    if (threads.size >= maxWorkers) return undefined;
    const thread = startThread(origin, memoryMb);
    threads.add(thread);
    // Until it is gone it takes processor time, so it counts.
    void thread.gone.then(() => {
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
    if (!thread.usable) return;
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
    await Promise.all([...threads].map(({ gone }) => gone));
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
