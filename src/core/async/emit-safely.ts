import { messageOf } from '../errors.ts';

/** Tells a listener of the host. A listener that throws is the host's fault and must not become the call's: it is warned about. */
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
