import { randomBytes } from 'node:crypto';
import {
  type Stats,
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces a file atomically: readers see the old or the new content, never a part. Without `mode`, uses the default permissions. */
export function replaceFile(file: string, text: string, mode?: number): void {
  // A random name, because containers that share a directory have the same process ids, and a killed process leaves its file behind.
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const descriptor = openSync(temporary, 'wx', mode === undefined ? 0o666 : 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (mode !== undefined) chmodSync(temporary, mode & 0o7777);
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a private file unless it exists. It is written under another name first, so that two concurrent callers get the same content. */
export function createFileOnce(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.new`;
  try {
    const descriptor = openSync(unfinished, 'wx', 0o600);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Returns whether a file belongs to this user or root, and no other user has access to it. Always `true` for files on Windows. */
export function isPrivateFile(stats: Stats): boolean {
  if (!stats.isFile()) return false;
  const user = process.getuid?.();
  return user === undefined || ((stats.mode & 0o077) === 0 && (stats.uid === user || stats.uid === 0));
}
