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

// Many entries in one write: a step for each would take longer than reading them.
const chunkLength = 64 * 1024;

/** An entry of an archive. The first one of a file says which hash it follows, so that it is proven like the others. */
export interface ArchivedEntry extends StoredEntry {
  readonly previous?: string;
}

/**
 * Writes entries as JSON lines, as they are stored, so that the chain can be recomputed from the file alone; compressed when
 * its name ends with `.gz`. When it resolves, the file is on the disk. It must not be there before.
 */
export async function writeArchive(file: string, previous: string, entries: AsyncIterable<StoredEntry>): Promise<void> {
  // What tools were given and what they answered is nobody else's business.
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
    await keepName(file);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

/** A file is found after a power loss when its directory is on the disk too. */
async function keepName(file: string): Promise<void> {
  // Windows opens no directories, and keeps the names of files that were flushed.
  if (process.platform === 'win32') return;
  const directory = await open(dirname(file), 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The entries of archives, one after another. */
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
