import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceFile } from '../../config/file/atomic-file.ts';
import { isJsonObject } from '../../core/json/json.ts';
import {
  type CachedProtocolVersion,
  type ProtocolVersionCache,
  maxVerdictAgeMs,
} from '../../sources/mcp/connection/protocol-version-cache.ts';

type Kept = Readonly<Record<string, CachedProtocolVersion>>;

const maxStoredAgeMs = 90 * 24 * 60 * 60 * 1000;

/**
 * Verdicts that outlive the process, in `verdicts.json`. They only save time: a file that cannot be read counts as empty, one
 * that cannot be written is left, and of two processes that write at the same time one may lose its verdict.
 */
export function fileVerdicts(directory: string): ProtocolVersionCache {
  const file = join(directory, 'verdicts.json');
  return {
    get: (key) => read(file)[key],
    set(key, verdict) {
      const kept = read(file);
      if (isSame(kept[key], verdict)) return;
      const others = Object.entries(kept).filter(([each, { at }]) => each !== key && Date.now() - at < maxStoredAgeMs);
      const verdicts = Object.fromEntries([...others, ...(verdict === undefined ? [] : [[key, verdict] as const])]);
      try {
        mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
        replaceFile(file, `${JSON.stringify({ version: 1, verdicts })}\n`, 0o600);
      } catch {
        // The server is probed again next time.
      }
    },
  };
}

function read(file: string): Kept {
  try {
    const document: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const verdicts = isJsonObject(document) && document['version'] === 1 ? document['verdicts'] : undefined;
    if (!isJsonObject(verdicts)) return {};
    return Object.fromEntries(Object.entries(verdicts).filter(([, each]) => isVerdict(each))) as unknown as Kept;
  } catch {
    return {};
  }
}

function isVerdict(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value['at'] !== 'number') return false;
  return value['kind'] === 'legacy' || (value['kind'] === 'modern' && isJsonObject(value['discover']));
}

/** The date alone is not worth a write, as long as it is not old. */
function isSame(before: CachedProtocolVersion | undefined, after: CachedProtocolVersion | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  return (
    after.at - before.at < maxVerdictAgeMs(after) &&
    isDeepStrictEqual({ ...before, at: 0 }, JSON.parse(JSON.stringify({ ...after, at: 0 })))
  );
}
