import { SignalboxError, messageOf } from '../../core/errors.ts';

/** Maps PostgreSQL error codes, or the prefix of a class, to a description and advice. */
const advice: readonly (readonly [code: string, what: string, next: string])[] = [
  ['28', 'rejected the login', 'check user and password'],
  ['3D000', 'has no such database', 'create it with createdb, or use another one'],
  ['42501', 'denied permission', 'grant the user CREATE on this database, or create the schema for it'],
  ['53100', 'has no disk space left', 'free some space; nothing was recorded'],
  ['53300', 'accepts no more connections', 'raise max_connections, or run fewer processes'],
  ['57014', 'took too long', 'check the load of the database'],
  ['57P', 'is starting, stopping or in recovery', 'try again in a moment'],
  ['25006', 'accepts no writes', 'use the address of the primary server, not a standby'],
  ['08', 'closed the connection', 'check that it runs and can be reached'],
];

const retryable = new Set(['40001', '40P01']);

/** Returns whether a transaction failed by a conflict, such as a deadlock, and can be retried. */
export function isRetryable(error: unknown): boolean {
  return retryable.has(codeOf(error));
}

/** Returns whether the error is a response of the server, so that the connection is still usable. */
export function isServerError(error: unknown): boolean {
  const code = codeOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('57P') && !code.startsWith('08');
}

/** Converts an error of the driver to a SignalboxError with advice. The message never contains the password. */
export function storeFailure(error: unknown, location: string): SignalboxError {
  if (error instanceof SignalboxError) return error;
  const code = codeOf(error);
  const message = messageOf(error instanceof AggregateError ? (error.errors[0] ?? error) : error);
  const known = advice.find(([start]) => code.startsWith(start));
  const options = { cause: error };
  if (known !== undefined) {
    const [, what, next] = known;
    return new SignalboxError('store-unavailable', `PostgreSQL at ${location} ${what} (${message}); ${next}`, options);
  }
  if (isServerError(error))
    return new SignalboxError(
      'store-unavailable',
      `PostgreSQL at ${location} refused a statement: ${message}`,
      options,
    );
  const next = 'check that it runs and can be reached';
  return new SignalboxError(
    'store-unavailable',
    `PostgreSQL at ${location} does not respond (${message}); ${next}`,
    options,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
