import { messageOf } from '../errors.ts';

/** Hears of an end: a function, or an object, which need not be made for it. */
export type AbortListener = (() => void) | { handleEvent(): void };

/** What can be asked of a signal that ends something before its time. Every `AbortSignal` is one. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: AbortListener, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

/** An `AbortController` and its signal in one, for each call: the real ones, with their listeners, take a kilobyte and some microseconds. */
export class LightAbortSignal implements AbortSignalLike {
  aborted = false;
  reason: unknown = undefined;
  #listeners: AbortListener[] | undefined;
  #controller: AbortController | undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }

  /** A listener hears of it once, since it happens once. */
  addEventListener(_type: 'abort', listener: AbortListener, _options?: { readonly once?: boolean }): void {
    if (!this.aborted) (this.#listeners ??= []).push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at !== -1) this.#listeners?.splice(at, 1);
  }

  /** The same for those who need a real one. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }
}

/** A real signal for any. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  if (signal instanceof LightAbortSignal) return signal.signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/** Does something, and waits for it until the signal: what comes after goes nowhere, and this rejects with the signal's reason. */
export async function raceAbort<Value>(work: () => Value, signal: AbortSignalLike): Promise<Awaited<Value>> {
  if (signal.aborted) throw abortReason(signal);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(abortReason(signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Why a signal was aborted, as an error. */
export function abortReason({ reason }: Pick<AbortSignalLike, 'reason'>): Error {
  return reason instanceof Error ? reason : new Error(messageOf(reason));
}
