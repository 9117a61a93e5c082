import { messageOf } from '../../../core/errors.ts';
import type { Thrown } from './messages.ts';

/** What the handler threw, as this thread’s own value. */
export function revive(thrown: Thrown): unknown {
  if ('value' in thrown) return thrown.value;
  const { name, message, stack } = thrown.error;
  const error = new Error(message);
  Object.defineProperty(error, 'name', { value: name, configurable: true, writable: true });
  error.stack = stack;
  return error;
}

/** Why a worker died by itself. */
export function died(tool: string, error: unknown, memoryMb: number): Error {
  if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
    return outOfMemory(tool, memoryMb);
  return new Error(`The worker of the isolated tool "${tool}" died of an uncaught error: ${messageOf(error)}`);
}

/** What a call ends with when it took too much memory. */
export function outOfMemory(tool: string, memoryMb: number): Error {
  return new Error(
    `The isolated tool "${tool}" ran out of memory: it held far more than the ${memoryMb} MB it may use. ` +
      'Give it less to do, or raise memoryMb.',
  );
}
