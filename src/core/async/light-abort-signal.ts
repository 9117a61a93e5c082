import { messageOf } from '../errors.ts';

/** A listener for `abort`: a function, or an existing object with `handleEvent`, which saves an allocation. */
export type AbortListener = (() => void) | { handleEvent(): void };

/** The part of `AbortSignal` that the pipeline uses. Every `AbortSignal` is one. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: AbortListener, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: AbortListener): void;
}

/** Combines an `AbortController` and its signal in one small object, created for each call. The native pair costs 1 KB and a few microseconds. */
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

  /** Adds a listener, which is called at most once, because a signal aborts once. */
  addEventListener(_type: 'abort', listener: AbortListener, _options?: { readonly once?: boolean }): void {
    if (!this.aborted) (this.#listeners ??= []).push(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    const at = this.#listeners?.indexOf(listener) ?? -1;
    if (at !== -1) this.#listeners?.splice(at, 1);
  }

  /** Returns a native signal that aborts together with this one. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }
}

/** Returns a native `AbortSignal` for any signal. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  if (signal instanceof LightAbortSignal) return signal.signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/** Starts the work and resolves with its result. Rejects with the signal's reason as soon as it aborts; a later result is discarded. */
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

/** Returns the reason of an aborted signal as an error. */
export function abortReason({ reason }: Pick<AbortSignalLike, 'reason'>): Error {
  return reason instanceof Error ? reason : new Error(messageOf(reason));
}
