import { SignalboxError } from '../../core/errors.ts';

/** The parsed address of a database. Only `connection` and `password` contain the password. */
export interface PostgresAddress {
  /** The connection string for the driver. */
  readonly connection: string;
  /** The display name, without password and settings. */
  readonly location: string;
  /** The schema of all tables. */
  readonly schema: string;
  readonly database: string;
  readonly password: string;
  /** The size of the connection pool. One or two more connections hold the process's presence lock. */
  readonly connections: number;
}

const defaultSchema = 'signalbox';
const defaultConnections = '10';
/** Makes the server detect a client machine that failed silently, and release its locks. */
const keepAlive = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** Returns whether an address refers to a PostgreSQL store. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

/** Parses an address such as `postgres://user:password@host:5432/database?schema=name&connections=10`. */
export function parseAddress(text: string): PostgresAddress {
  const url = isPostgresAddress(text) && URL.canParse(text) ? new URL(text) : undefined;
  // The message does not repeat the address, which may contain a password.
  if (url === undefined) throw invalidAddress('cannot be read');
  const schema = url.searchParams.get('schema') ?? defaultSchema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalidAddress('names a schema with characters other than lowercase letters, digits and _');
  const connections = url.searchParams.get('connections') ?? defaultConnections;
  if (!/^(?:[1-9]\d?|100)$/.test(connections))
    throw invalidAddress('has a "connections" value that is not a number from 1 to 100');
  const password = decodeComponent(url.password) || (url.searchParams.get('password') ?? '');
  url.searchParams.delete('schema');
  url.searchParams.delete('connections');
  const options = `${url.searchParams.get('options') ?? ''} ${keepAlive} -c search_path=${schema}`.trim();
  url.searchParams.set('options', options);
  const connection = url.href;
  url.password = '';
  url.search = schema === defaultSchema ? '' : `?schema=${schema}`;
  url.hash = '';
  const database = decodeComponent(url.pathname.slice(1));
  return { connection, location: url.href, schema, database, password, connections: Number(connections) };
}

function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidAddress('has a % that is not followed by two hexadecimal digits; write it as %25');
  }
}

function invalidAddress(why: string): SignalboxError {
  const form = 'postgres://user:password@host:5432/database';
  return new SignalboxError('store-unavailable', `the address of the PostgreSQL store ${why}; write it as ${form}`);
}
