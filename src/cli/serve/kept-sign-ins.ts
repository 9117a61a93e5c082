import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../config/replace-file.ts';
import { type KeptSignIns, idleSeconds } from '../../server/access/browser-sessions.ts';

/**
 * Who is signed in, kept in the data directory so that a server that is started again still knows its browsers. Only hashes are
 * in it: nobody gets in by reading the file. Removing it, or another admin token, signs everybody out at the next start.
 */
export function keptSignIns(data: string): KeptSignIns {
  const file = join(data, 'sign-ins.json');
  const read = (): ReadonlyMap<string, number> => {
    try {
      const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return new Map(
        Object.entries(kept ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
      );
    } catch {
      // Missing or broken: whoever was signed in opens the printed link once more.
      return new Map();
    }
  };
  const write = (lastSeen: ReadonlyMap<string, number>): void => {
    // Another server on the same directory has browsers of its own.
    const all = [...new Map([...read(), ...lastSeen])].filter(([, seen]) => Date.now() - seen < idleSeconds * 1000);
    try {
      replaceFile(file, `${JSON.stringify(Object.fromEntries(all))}\n`, 0o600);
    } catch {
      // Signing in works without it, until this process ends.
    }
  };
  return { read, write };
}
