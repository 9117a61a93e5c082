import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isPrivateFile, replaceFile } from '../file/atomic-file.ts';
import type { Capability } from './capabilities.ts';

/** An accepted capability. Values are stored as digests, because they may contain secrets. */
export type AcceptedCapability = Pick<Capability, 'id' | 'place' | 'owner' | 'asks' | 'limit'>;

/** The accepted capabilities of one configuration on this machine. */
export interface TrustRecord {
  /** The identity of the configuration, from `identityOf`. */
  readonly file: string;
  /** ISO 8601, UTC. */
  readonly acceptedAt: string;
  readonly capabilities: readonly AcceptedCapability[];
  /** The secrets that it may use. */
  readonly secrets: readonly string[];
}

const version = 1;

/** The accepted configurations of a data directory, one private file each. */
export class TrustRecords {
  readonly #directory: string;

  constructor(data: string) {
    this.#directory = join(data, 'trust');
  }

  /** Returns the file of a configuration's record, whether or not it exists. */
  place(file: string): string {
    return join(this.#directory, `${hash('sha256', identityOf(file), 'hex').slice(0, 32)}.json`);
  }

  /** Returns the record of a configuration. A record that other users could have written is ignored. */
  find(file: string): TrustRecord | undefined {
    const record = read(this.place(file));
    return record?.file === identityOf(file) ? record : undefined;
  }

  list(): readonly TrustRecord[] {
    return namesIn(this.#directory)
      .flatMap((name) => read(join(this.#directory, name)) ?? [])
      .toSorted((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** Writes parts of a record and leaves the rest unchanged. */
  change(file: string, parts: Partial<Omit<TrustRecord, 'file'>>): void {
    const { capabilities = [], secrets = [], acceptedAt = new Date().toISOString() } = this.find(file) ?? {};
    const record = { version, file: identityOf(file), acceptedAt, capabilities, secrets, ...parts };
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    replaceFile(this.place(file), `${JSON.stringify(record)}\n`, 0o600);
  }

  /** Deletes a record. Returns whether it existed. */
  remove(file: string): boolean {
    const wasThere = this.find(file) !== undefined;
    rmSync(this.place(file), { force: true });
    return wasThere;
  }

  /** Revokes a secret from every configuration. */
  forgetSecret(name: string): void {
    for (const { file, secrets } of this.list())
      if (secrets.includes(name)) this.change(file, { secrets: secrets.filter((each) => each !== name) });
  }
}

/**
 * Returns the path that identifies a configuration: its name in the real path of its directory. A link in another directory is a
 * different configuration, because its relative paths are resolved from there.
 */
export function identityOf(file: string): string {
  const absolute = resolve(file);
  return join(realPath(dirname(absolute)), basename(absolute));
}

/** Returns the real path of a directory, resolved as far as the directory exists. */
export function realPath(directory: string): string {
  const absolute = resolve(directory);
  try {
    return realpathSync.native(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute ? absolute : join(realPath(parent), basename(absolute));
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => /^[0-9a-f]{32}\.json$/.test(name));
  } catch {
    return [];
  }
}

function read(place: string): TrustRecord | undefined {
  try {
    if (!isPrivateFile(lstatSync(place))) return undefined;
    const value = JSON.parse(readFileSync(place, 'utf8')) as Partial<TrustRecord> & { readonly version?: unknown };
    const { file, acceptedAt, capabilities, secrets } = value;
    if (value.version !== version || typeof file !== 'string' || typeof acceptedAt !== 'string') return undefined;
    if (!Array.isArray(capabilities) || !Array.isArray(secrets)) return undefined;
    return { file, acceptedAt, capabilities, secrets };
  } catch {
    // When the record is missing or unreadable, the configuration has to be accepted again.
    return undefined;
  }
}
