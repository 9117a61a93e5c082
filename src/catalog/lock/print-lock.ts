import type { JsonObject } from '../../model/json.ts';
import { canonicalJson } from './canonical.ts';
import { type Lock, lockVersion } from './lock.ts';

/** The text of a lock file. The same for the same lock, whatever the order of anything in it. */
export function printLock(lock: Lock): string {
  const servers = [...lock.servers].map(([name, { tools, ...rest }]) => [
    name,
    { ...rest, tools: Object.fromEntries(tools) },
  ]);
  const sorted = canonicalJson({ servers: Object.fromEntries(servers) as JsonObject }) as JsonObject;
  return `${JSON.stringify({ lockVersion, ...sorted }, undefined, 2)}\n`;
}
