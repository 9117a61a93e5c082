import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a JSON file atomically and flushes it, so that it survives a power loss. */
export function writeDurably(file: string, value: unknown): void {
  const temporaryFile = `${file}.new`;
  const descriptor = openSync(temporaryFile, 'w', 0o600);
  try {
    writeFileSync(descriptor, JSON.stringify(value));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(temporaryFile, file);
  syncDirectory(dirname(file));
}

/** Writes a JSON file atomically without flushing: it survives a crash of the process, not a power loss. */
export function writeAtomically(file: string, value: unknown): void {
  const temporaryFile = `${file}.new`;
  writeFileSync(temporaryFile, JSON.stringify(value), { mode: 0o600 });
  renameSync(temporaryFile, file);
}

/** Reads a JSON file; returns `undefined` when it does not exist. */
export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Flushes a directory, so that created, renamed and removed entries survive a power loss. Does nothing on systems that do not support it. */
export function syncDirectory(path: string | Buffer): void {
  try {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (!['EPERM', 'EISDIR', 'EINVAL'].includes(systemErrorCode(error))) throw error;
  }
}

/** Returns the code of an error of a system call, such as `ENOENT`; an empty string for other errors. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
