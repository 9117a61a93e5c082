import { createHmac, createSecretKey } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignalboxError } from '../../core/errors.ts';
import type { Sealer } from '../../journal/integrity/seal.ts';
import { type Key, keyFile, toKey } from './encryption-keys.ts';

const minPassphrase = 32;

/**
 * Returns the sealer of a data directory. Its key is in `journal.key` (mode 0600), or is derived from a passphrase
 * (SIGNALBOX_JOURNAL_KEY) that several machines with one journal share. `store` identifies a store within the directory. Returns
 * `undefined` when there is no usable key; the journal is then written without seals.
 */
export async function journalSealer(data: string, store = 'sqlite', passphrase = ''): Promise<Sealer | undefined> {
  const key = await journalKey(data, passphrase);
  if (key === undefined) return undefined;
  const notes = join(data, 'journal.seals');
  const sealed = `${key.id} ${store}`;
  // The key object is created once, because a MAC with the raw bytes takes six times as long.
  const secret = createSecretKey(key.bytes);
  const isThere = (line: string): boolean =>
    existsSync(notes) && readFileSync(notes, 'utf8').split('\n').includes(line);
  const write = (line: string): void => {
    try {
      if (!isThere(line)) appendFileSync(notes, `${line}\n`, { mode: 0o600, flush: true });
    } catch (error) {
      // The data directory was removed together with the journal; the box must still close.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  };
  return {
    key: key.id,
    sign: (text) => createHmac('sha256', secret).update(text).digest('hex'),
    hasSealed: () => isThere(sealed),
    noteSealed: () => write(sealed),
    hasNoted: (what) => isThere(`${sealed} ${what}`),
    note: (what) => write(`${sealed} ${what}`),
  };
}

async function journalKey(data: string, passphrase: string): Promise<Key | undefined> {
  if (passphrase !== '') {
    if (passphrase.length < minPassphrase)
      throw new SignalboxError(
        'store-unavailable',
        `SIGNALBOX_JOURNAL_KEY is shorter than ${minPassphrase} characters; make one with openssl rand -hex 32`,
      );
    return toKey(Buffer.from(createHmac('sha256', 'signalbox journal key').update(passphrase).digest()));
  }
  try {
    return await keyFile(join(data, 'journal.key')).current();
  } catch {
    // Records must be written even where no private file can be created; `journal verify` reports the missing seals.
    return undefined;
  }
}
