import { SignalboxError, messageOf } from '../../core/errors.ts';

/** What PostgreSQL says by its codes, and what to do about it; the beginning of a code stands for its class. */
const advice: readonly (readonly [code: string, what: string, next: string])[] = [
  ['28', 'does not let us in', 'check user and password'],
  ['3D000', 'has no such database', 'create it with createdb, or name another'],
  [
    '42501',
    'does not permit it',
    'give the user the right to make a schema in this database, or make the schema for it',
  ],
  ['53100', 'has no room left on its disk', 'make room; nothing was recorded'],
  ['53300', 'takes no more connections', 'raise max_connections, or run fewer processes'],
  ['57014', 'took too long', 'see what the database is busy with'],
  ['57P', 'is starting, stopping or in recovery', 'try again in a moment'],
  ['25006', 'takes no writes', 'name the primary server, not a standby'],
  ['08', 'broke off the connection', 'check that it runs and can be reached'],
];

const retryable = new Set(['40001', '40P01']);

/** A deadlock or the like: the transaction came to nothing, and can be made again as it was. */
export function isRetryable(error: unknown): boolean {
  return retryable.has(codeOf(error));
}

/** Whether the server itself has answered, so that the connection is good for more. */
export function isAnswer(error: unknown): boolean {
  const code = codeOf(error);
  return /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('57P') && !code.startsWith('08');
}

/** What the driver threw, as an error that says what to do. Neither holds the password. */
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
  if (isAnswer(error))
    return new SignalboxError(
      'store-unavailable',
      `PostgreSQL at ${location} refused a statement: ${message}`,
      options,
    );
  const next = 'check that it runs and can be reached';
  return new SignalboxError(
    'store-unavailable',
    `PostgreSQL at ${location} does not answer (${message}); ${next}`,
    options,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
