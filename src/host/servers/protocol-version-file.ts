import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceFile } from '../../config/file/atomic-file.ts';
import { isJsonObject } from '../../core/json/json.ts';
import {
  type CachedProtocolVersion,
  type ProtocolVersionCache,
  maxVersionAgeMs,
} from '../../sources/mcp/connection/protocol-version-cache.ts';

type StoredVersions = Readonly<Record<string, CachedProtocolVersion>>;

const maxStoredAgeMs = 90 * 24 * 60 * 60 * 1000;

/**
 * Stores the protocol versions of servers in `protocol-versions.json`, so that the next start does not probe them again. A file that cannot be
 * read counts as empty, one that cannot be written is ignored, and of two concurrent writers one may lose its entry.
 */
export function protocolVersionFile(directory: string): ProtocolVersionCache {
  const file = join(directory, 'protocol-versions.json');
  return {
    get: (key) => read(file)[key],
    set(key, version) {
      const stored = read(file);
      if (isSame(stored[key], version)) return;
      const others = Object.entries(stored).filter(
        ([each, { at }]) => each !== key && Date.now() - at < maxStoredAgeMs,
      );
      const versions = Object.fromEntries([...others, ...(version === undefined ? [] : [[key, version] as const])]);
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        replaceFile(file, `${JSON.stringify({ version: 1, versions })}\n`, 0o600);
      } catch {
        // The server is probed again next time.
      }
    },
  };
}

function read(file: string): StoredVersions {
  try {
    const document: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const versions = isJsonObject(document) && document['version'] === 1 ? document['versions'] : undefined;
    if (!isJsonObject(versions)) return {};
    return Object.fromEntries(
      Object.entries(versions).filter(([, each]) => isCachedVersion(each)),
    ) as unknown as StoredVersions;
  } catch {
    return {};
  }
}

function isCachedVersion(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['at'] !== 'number') return false;
  return value['kind'] === 'legacy' || (value['kind'] === 'modern' && isJsonObject(value['discover']));
}

/** Returns whether two entries differ only in their dates. The file is written again only when the stored date is old. */
function isSame(before: CachedProtocolVersion | undefined, after: CachedProtocolVersion | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return (
    after.at - before.at < maxVersionAgeMs(after) &&
    isDeepStrictEqual({ ...before, at: 0 }, JSON.parse(JSON.stringify({ ...after, at: 0 })))
  );
}
