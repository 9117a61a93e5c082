import { SignalboxError } from '../../core/errors.ts';

/** Where a database is. Only `connection` holds the password. */
export interface PostgresAddress {
  /** For the driver. */
  readonly connection: string;
  /** For people: without password and settings. */
  readonly location: string;
  /** The schema all tables are in. */
  readonly schema: string;
  readonly database: string;
  readonly password: string;
  /** How many connections statements share; one or two more show that the process lives. */
  readonly connections: number;
}

const defaultSchema = 'signalbox';
const defaultConnections = '10';
/** The server soon notices a machine that is gone without a word, and lets go of what it held. */
const keepAlive = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** Whether a store is meant that is in PostgreSQL. */
export function isPostgresAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

/** Reads an address like `postgres://user:password@host:5432/database?schema=name&connections=10`. */
export function parseAddress(text: string): PostgresAddress {
  const url = isPostgresAddress(text) && URL.canParse(text) ? new URL(text) : undefined;
  // The address is not repeated: it may hold a password.
  if (url === undefined) throw invalidAddress('cannot be read');
  const schema = url.searchParams.get('schema') ?? defaultSchema;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema))
    throw invalidAddress('names a schema that is not made of small letters, digits and _');
  const connections = url.searchParams.get('connections') ?? defaultConnections;
  if (!/^(?:[1-9]\d?|100)$/.test(connections)) throw invalidAddress('has connections that are no number from 1 to 100');
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
