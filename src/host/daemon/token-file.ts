import { chmodSync, readFileSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { Failure } from '../../cli/fail.ts';
import { shortPath } from '../../cli/globals.ts';

/** The token in a file, which is closed to others if it was open; `undefined` where there is no file. */
export function readTokenFile(file: string): string | undefined {
  try {
    const value = readFileSync(file, 'utf8').trim();
    // Copied or restored files may have lost it.
    chmodSync(file, 0o600);
    return value;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A token cannot be read or written where it is kept. */
export function unkept(what: string, file: string, error: unknown): Failure {
  return new Failure(1, 'token-unavailable', `${what} cannot be kept in ${shortPath(file)}: ${messageOf(error)}`, {
    next: 'signalbox doctor',
    cause: error,
  });
}
