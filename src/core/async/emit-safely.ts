import { messageOf } from '../errors.ts';

/** Calls a listener of the host. An exception in it becomes a process warning, because it must not fail the call. */
export function emitSafely<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch (error) {
    process.emitWarning(`a listener threw: ${messageOf(error)}`, {
      type: 'SignalboxWarning',
      detail: error instanceof Error ? (error.stack ?? '') : '',
    });
  }
}
