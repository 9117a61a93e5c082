import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file whole or not at all, so that it survives the loss of power. */
export function writeDurably(file: string, value: unknown): void {
  const unnamed = `${file}.new`;
  const descriptor = openSync(unnamed, 'w', 0o600);
  try {
    writeFileSync(descriptor, JSON.stringify(value));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unnamed, file);
  syncDirectory(dirname(file));
}

/** Writes a file whole or not at all, so that it survives the death of the process. */
export function writeWhole(file: string, value: unknown): void {
  const unnamed = `${file}.new`;
  writeFileSync(unnamed, JSON.stringify(value), { mode: 0o600 });
  renameSync(unnamed, file);
}

/** Reads a file that was written whole; `undefined` when there is none. */
export function readWhole(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes lasting what was created, renamed and removed in a directory. Not every system can; those that cannot need not. */
export function syncDirectory(path: string | Buffer): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !['EPERM', 'EISDIR', 'EINVAL'].includes(String(error.code)))
      throw error;
  }
}
