import type { AbortSignalLike } from '../core/async/light-abort-signal.ts';
import { SignalboxError } from '../core/errors.ts';
import type { Catalog } from './catalog.ts';
import { type CatalogSnapshot, missingServers } from './snapshot.ts';

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
  const leftMs = (): number => {
    const until = Math.max(...catalog.starting(profile).map(({ since }) => since + waitMs));
    return until - Date.now();
  };
  if (signal?.aborted === true || !(leftMs() > 0)) return undefined;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, leftMs());
    const unsubscribe = catalog.subscribe(() => {
      if (!(leftMs() > 0)) end();
    });
    signal?.addEventListener('abort', end, { once: true });
  });
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
  if (missingServers(catalog.snapshot).length === 0) return;
  await waitForRequired(catalog, waitMs, signal);
  signal?.throwIfAborted();
  const missing = missingServers(catalog.snapshot);
  if (missing.length === 0) return;
  const reasons = missing.map(({ name, reason }) => reason ?? `server "${name}" is down`);
  throw new SignalboxError('server-required', `required: ${reasons.join('; ')}; signalbox doctor tells more`);
}

/** Resolves when all required servers are up, when the time limit has passed, or when the signal is aborted. */
function waitForRequired(catalog: Catalog, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const check = (snapshot: CatalogSnapshot): void => {
      if (missingServers(snapshot).length === 0) done();
    };
    const timer = setTimeout(done, waitMs);
    const unsubscribe = catalog.subscribe(check);
    signal?.addEventListener('abort', done, { once: true });
  });
}
