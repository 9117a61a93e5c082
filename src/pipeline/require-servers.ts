import type { Catalog } from '../catalog/catalog.ts';
import { type CatalogSnapshot, missingServers } from '../catalog/snapshot.ts';
import { SignalboxError } from '../core/errors.ts';

const usualWaitMs = 5000;

/** Waits until every required server is up. Rejects when one is not in time, with its reason, and when the signal is aborted. */
export async function requireServers(
  catalog: Catalog,
  { waitMs = usualWaitMs, signal }: { readonly waitMs?: number; readonly signal?: AbortSignal } = {},
): Promise<void> {
  signal?.throwIfAborted();
  if (missingServers(catalog.snapshot).length === 0) return;
  await changed(catalog, waitMs, signal);
  signal?.throwIfAborted();
  const missing = missingServers(catalog.snapshot);
  if (missing.length === 0) return;
  const reasons = missing.map(({ name, reason }) => reason ?? `server "${name}" is down`);
  throw new SignalboxError('server-required', `required: ${reasons.join('; ')}; signalbox doctor tells more`);
}

/** Resolves when no required server is missing any more, when the time is up, or when the signal is aborted. */
function changed(catalog: Catalog, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      unsubscribe();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const look = (snapshot: CatalogSnapshot): void => {
      if (missingServers(snapshot).length === 0) done();
    };
    const timer = setTimeout(done, waitMs);
    const unsubscribe = catalog.subscribe(look);
    signal?.addEventListener('abort', done, { once: true });
  });
}
