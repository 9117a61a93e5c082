import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { approvalDigest } from '../../journal/store/approval-store.ts';
import { type KeyValueStore, neverExpires } from '../../journal/store/key-value-store.ts';
import type { RevealedArguments } from '../../core/calls/approval.ts';
import { SignalboxError } from '../../core/errors.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;
const maxSealedCharacters = 8 * 1024 * 1024;
const sealedKind = 'hidden-arguments';
const keyKind = 'hidden-arguments-key';

/** The location of the key that encrypts hidden arguments. */
export type RevealKey =
  /** In a file of the data directory, and so not in the database, its backups or its free pages. */
  | { readonly in: 'directory'; readonly data: string }
  /** In the database, for processes on several machines that share only the database. */
  | { readonly in: 'store' };

/**
 * Stores the arguments of pending questions that have hidden parts, sealed with AES-256-GCM, until the question is answered or
 * expires. Registered secret values are not in them.
 */
export class RevealStore {
  readonly #store: KeyValueStore;
  readonly #location: RevealKey;
  #key: Buffer | undefined;

  constructor(store: KeyValueStore, location: RevealKey) {
    this.#store = store;
    this.#location = location;
  }

  async put(id: string, revealed: RevealedArguments, until: number): Promise<void> {
    const text = JSON.stringify(revealed);
    if (text.length > maxSealedCharacters) return;
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, await this.#loadKey(), iv).setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const bytes = Buffer.concat([iv, cipher.getAuthTag(), sealed]);
    await this.#store.put(sealedKind, approvalDigest(id), { text: bytes.toString('base64'), until });
  }

  /** Returns `undefined` when nothing is stored, or when it was sealed with a key that no longer exists. */
  async get(id: string): Promise<RevealedArguments | undefined> {
    const stored = await this.#store.get(sealedKind, approvalDigest(id));
    if (stored === undefined) return undefined;
    const bytes = Buffer.from(stored.text, 'base64');
    const iv = bytes.subarray(0, ivBytes);
    const decipher = createDecipheriv(algorithm, await this.#loadKey(), iv, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    try {
      const text = decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
      return JSON.parse(text) as RevealedArguments;
    } catch {
      return undefined;
    }
  }

  async remove(id: string): Promise<void> {
    await this.#store.take(sealedKind, approvalDigest(id));
  }

  async #loadKey(): Promise<Buffer> {
    return (this.#key ??=
      this.#location.in === 'directory' ? keyInDirectory(this.#location.data) : await this.#keyInStore());
  }

  async #keyInStore(): Promise<Buffer> {
    const text = randomBytes(keyBytes).toString('base64');
    return Buffer.from((await this.#store.add(keyKind, '', { text, until: neverExpires })).text, 'base64');
  }
}

/** Reads the key of a data directory, or creates it. Of several concurrent processes, exactly one creates it. */
function keyInDirectory(data: string): Buffer {
  const file = join(data, 'approvals.key');
  return readKey(file) ?? makeKey(file);
}

function readKey(file: string): Buffer | undefined {
  try {
    const key = Buffer.from(readFileSync(file, 'utf8'), 'base64');
    if (key.length === keyBytes) return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  throw new SignalboxError(
    'file-unreadable',
    `${file} is not a key of ${keyBytes} bytes; delete it to create a new one`,
  );
}

function makeKey(file: string): Buffer {
  const key = randomBytes(keyBytes);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, key.toString('base64'), { flag: 'wx', mode: 0o600 });
  try {
    // `link` fails when the file exists, and readers never see a partially written file.
    linkSync(draft, file);
    return key;
  } catch (error) {
    const known = readKey(file);
    if (known === undefined) throw error;
    return known;
  } finally {
    rmSync(draft, { force: true });
  }
}
