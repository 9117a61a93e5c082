import type { AbortSignalLike } from '../core/async/light-abort-signal.ts';
import { SignalboxError } from '../core/errors.ts';
import type { Catalog } from './catalog.ts';
import { missingServers } from './snapshot.ts';

/** Options of `awaitStartup`. */
export interface StartupWait {
  /** Counted from the start of each server, so that a server that never answers does not delay later callers. */
  readonly waitMs: number;
  /** Waits only for servers that this profile can show. */
  readonly profile?: string | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/**
 * Waits until every server has ended its first start, successfully or not, for at most `waitMs` after that start began, or until the signal
 * is aborted. Returns `undefined` when there is nothing to wait for.
 */
export function awaitStartup(catalog: Catalog, { waitMs, profile, signal }: StartupWait): Promise<void> | undefined {
  const leftMs = (): number => Math.max(...catalog.starting(profile).map(({ since }) => since + waitMs)) - Date.now();
  if (signal?.aborted === true || !(leftMs() > 0)) return undefined;
  return waitUntil(catalog, () => !(leftMs() > 0), leftMs(), signal);
}

/** A server in its first start. */
export interface StartingServer {
  /** Resolves when the start has succeeded or failed. */
  readonly ended: Promise<void>;
  /** Stops watching the server. */
  stop(): void;
}

/** Watches a server that is in its first start; `undefined` when it is not. */
export function startingServer(
  catalog: Catalog,
  server: string | undefined,
  profile: string | undefined,
): StartingServer | undefined {
  const isStarting = (): boolean => catalog.starting(profile).some(({ name }) => name === server);
  if (!isStarting()) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = catalog.subscribe(() => {
    if (!isStarting()) resolve();
  });
  return { ended: promise, stop };
}

const defaultWaitMs = 5000;

/** Waits until every required server is up. Rejects when one is not in time, with its reason, and when the signal is aborted. */
export async function requireServers(
  catalog: Catalog,
  { waitMs = defaultWaitMs, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  signal?.throwIfAborted();
  const missing = (): ReturnType<typeof missingServers> => missingServers(catalog.snapshot);
  if (missing().length > 0) await waitUntil(catalog, () => missing().length === 0, waitMs, signal);
  signal?.throwIfAborted();
  const reasons = missing().map(({ name, reason }) => reason ?? `server "${name}" is down`);
  if (reasons.length === 0) return;
  throw new SignalboxError('server-required', `required: ${reasons.join('; ')}; run signalbox doctor for details`);
}

/** Resolves when a new version of the catalog fulfills the condition, when the time limit has passed, or when the signal is aborted. */
function waitUntil(
  catalog: Catalog,
  isFulfilled: () => boolean,
  waitMs: number,
  signal: AbortSignalLike | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    const unsubscribe = catalog.subscribe(() => {
      if (isFulfilled()) end();
    });
    signal?.addEventListener('abort', end, { once: true });
  });
}
