import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';

// Entries are written in chunks, because one write for each would be slower than reading them.
const chunkLength = 64 * 1024;

/** An entry of an archive. The first entry of a file contains the previous hash, so that it can be verified like the others. */
export interface ArchivedEntry extends StoredEntry {
  readonly previous?: string;
}

/**
 * Writes stored entries as JSON lines to a new file, so that the chain can be recomputed from the file alone. Compresses the file when
 * its name ends with `.gz`. Resolves when the file is flushed to disk.
 */
export async function writeArchive(file: string, previous: string, entries: AsyncIterable<StoredEntry>): Promise<void> {
  // Only the owner may read arguments and results of tools.
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true });
  await once(out, 'open').catch((error: unknown) => {
    throw new SignalboxError('file-unwritable', `cannot write the archive ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  });
  try {
    await (isCompressed(file)
      ? pipeline(Readable.from(lines(previous, entries)), createGzip(), out)
      : pipeline(Readable.from(lines(previous, entries)), out));
    await syncDirectory(file);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** Flushes the directory entry of a file, without which the file may be missing after a power loss. */
async function syncDirectory(file: string): Promise<void> {
  // Windows cannot open directories, and flushes the name together with the file.
  if (process.platform === 'win32') return;
  const directory = await open(dirname(file), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Reads the entries of archives, one archive after another. */
export async function* readArchives(files: readonly string[]): AsyncGenerator<ArchivedEntry> {
  for (const file of files) yield* readArchive(file);
}

async function* readArchive(file: string): AsyncGenerator<ArchivedEntry> {
  let place = 0;
  try {
    const stream = createReadStream(file);
    const plain = isCompressed(file) ? stream.pipe(createGunzip()) : stream;
    stream.on('error', (error) => plain.destroy(error));
    for await (const line of createInterface({ input: plain, crlfDelay: Infinity })) {
      place += 1;
      yield JSON.parse(line) as ArchivedEntry;
    }
  } catch (error) {
    throw new SignalboxError('file-unreadable', `cannot read the archive ${file}, line ${place}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function isCompressed(file: string): boolean {
  return file.endsWith('.gz');
}

async function* lines(previous: string, entries: AsyncIterable<StoredEntry>): AsyncGenerator<string> {
  let chunk = '';
  let isFirst = true;
  for await (const entry of entries) {
    chunk += `${JSON.stringify(isFirst ? { ...entry, previous } : entry)}\n`;
    isFirst = false;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}
