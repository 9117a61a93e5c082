import { type CatalogSnapshot, missingServers } from '../../catalog/snapshot.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { HostLog } from '../host-log.ts';

/** Logs the required servers that are not up, now and on each change. Returns a function that stops logging. */
export function logRequiredServers(box: InternalSignalbox, log: HostLog): () => void {
  let logged = new Map<string, string>();
  const check = (snapshot: CatalogSnapshot): void => {
    const missing = new Map(missingServers(snapshot).map(({ name, reason }) => [name, reason ?? 'it is down']));
    for (const [name, reason] of missing) if (logged.get(name) !== reason) log.warn(`required ${reason}`);
    for (const name of logged.keys()) if (!missing.has(name)) log.info(`required server "${name}" is up`);
    logged = missing;
  };
  check(box.catalog());
  return box.on('CatalogChanged', check);
}
