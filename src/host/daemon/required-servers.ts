import { type CatalogSnapshot, missingServers } from '../../catalog/snapshot.ts';
import { printable } from '../../cli/printable.ts';
import type { Printer } from '../../cli/terminal.ts';
import type { Signalbox } from '../../signalbox.ts';

/** Says which required servers are not up, now and whenever that changes. Returns how to stop. */
export function reportRequiredServers(box: Signalbox, errors: Printer): () => void {
  const told = new Map<string, string>();
  const look = (snapshot: CatalogSnapshot): void => {
    const missing = new Map(missingServers(snapshot).map(({ name, reason }) => [name, reason ?? 'it is down']));
    const down = [...missing].filter(([name, reason]) => told.get(name) !== reason);
    const back = [...told.keys()].filter((name) => !missing.has(name));
    told.clear();
    for (const [name, reason] of missing) told.set(name, reason);
    const lines = [
      ...down.map(([, reason]) => `${errors.colors.yellow('warning')}: required ${printable(reason)}\n`),
      ...back.map((name) => `required server "${name}" is up\n`),
    ];
    if (lines.length > 0) void errors.print(lines.join(''));
  };
  look(box.catalog());
  return box.on('CatalogChanged', look);
}
