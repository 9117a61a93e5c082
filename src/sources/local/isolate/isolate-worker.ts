import { isNativeError } from 'node:util/types';
import { parentPort, workerData } from 'node:worker_threads';
import type { Progress } from '../../../core/calls/call.ts';
import type { ToolSessionState, ToolContext } from '../../../core/tools/tool-context.ts';
import type { JsonValue } from '../../../core/json/json.ts';
import { exportedHandler, type ExportedHandler } from './exported-tool.ts';
import type { IsolatedCall, IsolateSetup, StateChanges, SerializedError, WorkerMessage } from './messages.ts';

const closureHint =
  'An isolated handler cannot use variables from outside: import what it needs inside it ' +
  '(await import(…) of a node: module or a full URL), or use isolate: import.meta.url';
const maxBacklogMessages = 256;

const port = parentPort;
if (port === null) throw new Error('isolate-worker is the entry of a worker thread, not a module to import');
const setup = workerData as IsolateSetup;

// The process may use stdout for a protocol, so a handler prints to stderr.
Object.defineProperty(process, 'stdout', { value: process.stderr, configurable: true, enumerable: true });
// Meant for this thread only, not for the handler.
delete process.env['NODE_COMPILE_CACHE'];

let handler: ExportedHandler | undefined;
port.on('message', (message: IsolatedCall) => void serve(message));

async function serve(message: IsolatedCall): Promise<void> {
  const { call } = message;
  try {
    handler ??= await load();
    const { context, changes, end } = contextOf(message);
    try {
      const value = await handler(message.args, context);
      if (isAsyncIterable(value)) {
        throw new TypeError('an isolated handler cannot return an async iterable: return the whole value');
      }
      succeed(call, value, changes);
    } finally {
      end();
    }
  } catch (error) {
    fail(call, error);
  }
}

async function load(): Promise<ExportedHandler> {
  const exports: Record<string, unknown> = await import(setup.url);
  if (setup.form === 'source') return exports['default'] as ExportedHandler;
  const found = exportedHandler(exports, setup.tool);
  if (found === undefined) {
    throw new Error(
      `The module ${setup.url} exports no tool "${setup.tool}" with a run function: ` +
        'export the tool, an array or record of tools, or a server that has it.',
    );
  }
  return found;
}

function contextOf({ call, callId, session, principal, deadline, state: values }: IsolatedCall): {
  context: ToolContext;
  changes: StateChanges;
  end: () => void;
} {
  let running = true;
  const { state, changes } = stateOf(values);
  const progress = (report: Progress): void => {
    if (!running) return;
    waitForRoom();
    send({ kind: 'progress', call, progress: report });
    Atomics.add(setup.backlog, 0, 1);
  };
  // Never aborted: the whole worker is killed instead.
  const { signal } = new AbortController();
  const end = (): void => {
    running = false;
  };
  return { context: { callId, session, principal, deadline, signal, progress, state }, changes, end };
}

/** Limits progress messages: a loop that reports progress would fill the memory of the main thread. */
function waitForRoom(): void {
  let waiting = Atomics.load(setup.backlog, 0);
  while (waiting >= maxBacklogMessages) {
    Atomics.wait(setup.backlog, 0, waiting);
    waiting = Atomics.load(setup.backlog, 0);
  }
}

function stateOf(values: ReadonlyMap<string, JsonValue>): { state: ToolSessionState; changes: StateChanges } {
  const current = new Map(values);
  const changes = new Map<string, JsonValue | undefined>();
  const state: ToolSessionState = {
    get: (key) => current.get(key),
    set(key, value) {
      // Copied now, so that a value which cannot be cloned fails here and not with the result.
      changes.set(key, structuredClone(value));
      current.set(key, value);
    },
    delete(key) {
      changes.set(key, undefined);
      current.delete(key);
    },
    keys: () => [...current.keys()],
  };
  return { state, changes };
}

function succeed(call: number, value: unknown, changes: StateChanges): void {
  try {
    send({ kind: 'succeeded', call, value, changes });
  } catch (error) {
    const problem = describe(error).message;
    fail(call, new TypeError(`the result of an isolated handler cannot be passed between threads: ${problem}`));
  }
}

function fail(call: number, error: unknown): void {
  const loaded = handler !== undefined;
  try {
    send({ kind: 'failed', call, thrown: thrownOf(error), loaded });
  } catch {
    send({ kind: 'failed', call, thrown: { error: describe(error) }, loaded });
  }
}

function send(message: WorkerMessage): void {
  port?.postMessage(message);
}

function thrownOf(error: unknown): SerializedError {
  return isError(error) ? { error: describe(error) } : { value: error };
}

/** Reads the texts of an error. Getters of the handler may run and throw. */
function describe(error: unknown): { name: string; message: string; stack: string } {
  try {
    if (!isError(error)) return { name: 'Error', message: `a ${typeof error} was thrown: ${String(error)}`, stack: '' };
    const { name, message, stack } = withHint(error);
    return { name, message: readable(message), stack: readable(stack) };
  } catch {
    return { name: 'Error', message: 'a value without a readable description was thrown', stack: '' };
  }
}

function withHint(error: Error): { name: string; message: string; stack: string } {
  const words: readonly unknown[] = [error.name, error.message, error.stack ?? ''];
  const [name = '', message = '', stack = ''] = words.map(String);
  const outside =
    (name === 'ReferenceError' && message.endsWith('is not defined')) ||
    ('code' in error && error.code === 'ERR_UNSUPPORTED_RESOLVE_REQUEST');
  if (setup.form !== 'source' || !outside) return { name, message, stack };
  const hinted = `${message}. ${closureHint}`;
  return { name, message: hinted, stack: stack.replace(message, () => hinted) };
}

/** Shortens the URL of a source module, which holds the whole handler in base64. */
function readable(words: string): string {
  return setup.form === 'source' ? words.replaceAll(setup.url, `isolated:${setup.tool}`) : words;
}

function isError(value: unknown): value is Error {
  return isNativeError(value) || value instanceof Error;
}

function isAsyncIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
