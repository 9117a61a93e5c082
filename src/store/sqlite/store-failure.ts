import { SignalboxError, messageOf } from '../../core/errors.ts';

/** Maps SQLite error codes to a description and advice. */
const advice = new Map<number, readonly [what: string, next: string]>([
  [5, ['is locked by another process', 'find the process that holds the lock']],
  [8, ['cannot be written', 'check the permissions of the file and its directory']],
  [10, ['cannot be read or written', 'check its disk']],
  [11, ['is damaged', 'restore it from a copy']],
  [13, ['has no disk space left', 'free some space']],
  [26, ['is not a SQLite database', 'restore it from a copy, or use another file']],
]);

/** The description and advice for a failed flush, an error of the operating system. */
const unflushed = ['cannot be flushed to disk', 'check its disk'] as const;

/** Converts an error of SQLite to a SignalboxError with advice. Returns other errors unchanged. */
export function storeFailure(error: unknown, location: string): unknown {
  const known = error instanceof Error && 'syscall' in error ? unflushed : advice.get(primaryCode(error));
  if (known === undefined) return error;
  const [what, next] = known;
  const message = `the journal ${location} ${what} (${messageOf(error)}); ${next}`;
  return new SignalboxError('store-unavailable', message, { cause: error });
}

/** Returns the primary error code, the lowest byte of SQLite's code; 0 for other errors. */
function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
