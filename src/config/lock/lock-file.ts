import { join } from 'node:path';
import { LockError, parseLock, printLock } from '../../catalog/lock/lock-format.ts';
import { type Lock, lockFileName } from '../../catalog/lock/lock-types.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { ConfigurationError } from '../configuration-error.ts';
import { replaceFile } from '../file/atomic-file.ts';
import { readTextFile } from '../file/configuration-files.ts';
import { displayPath } from '../file/displayed-value.ts';
import { parseJsonDocument } from '../file/json-document.ts';

/** Returns the path of the lock of a configuration. */
export function lockFile(directory: string): string {
  return join(directory, lockFileName);
}

/** Reads the lock next to the configuration, if there is one. Throws a `ConfigurationError` when it is invalid. */
export function readLock(directory: string): Lock | undefined {
  const file = lockFile(directory);
  const text = readIfExists(file);
  if (text === undefined) return undefined;
  try {
    return parseLock(text);
  } catch (error) {
    if (!(error instanceof LockError)) throw error;
    const document = parseJsonDocument(text);
    const offset = document.problems[0]?.offset ?? document.offsetOf(error.path);
    const hint = 'take it from version control again, or delete it and run signalbox lock';
    throw new ConfigurationError(
      'configuration-invalid',
      [{ file, ...document.placeOf(offset), path: displayPath(error.path), message: error.message, hint }],
      { cause: error },
    );
  }
}

function readIfExists(file: string): string | undefined {
  try {
    return readTextFile(file);
  } catch (error) {
    if (error instanceof ConfigurationError && (error.cause as NodeJS.ErrnoException).code === 'ENOENT')
      return undefined;
    throw error;
  }
}

/** Writes the lock atomically, because an incomplete lock would prevent Signalbox from starting. */
export function writeLock(directory: string, lock: Lock): void {
  const file = lockFile(directory);
  try {
    replaceFile(file, printLock(lock));
  } catch (error) {
    throw new SignalboxError('file-unwritable', `cannot write ${file}: ${messageOf(error)}`, { cause: error });
  }
}
