import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { canonicalJson } from './canonical.ts';
import { type Lock, type LockedInstructions, lockVersion } from './lock.ts';

/** The text of a lock file. The same for the same lock, whatever the order of anything in it. */
export function printLock(lock: Lock): string {
  const servers = [...lock.servers].map(([name, { tools, instructions }]) => [
    name,
    {
      ...(instructions === undefined ? {} : { instructions: printed(instructions) }),
      tools: Object.fromEntries(tools),
    },
  ]);
  const sorted = canonicalJson({ servers: Object.fromEntries(servers) as JsonObject }) as JsonObject;
  return `${JSON.stringify({ lockVersion, ...sorted }, undefined, 2)}\n`;
}

/** What was read without its text is written without it. */
function printed({ hash, text }: LockedInstructions): JsonValue {
  return text === undefined ? hash : { hash, text };
}
