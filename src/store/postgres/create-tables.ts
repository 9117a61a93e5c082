import { SignalboxError } from '../../core/errors.ts';
import { tableSchema } from '../tables/table-store.ts';
import type { PostgresAddress } from './address.ts';
import { copySchema } from './copy-progress.ts';
import { journalSchema } from './journal/journal-schema.ts';
import { dialect } from './postgres-database.ts';
import { noteSchema } from './postgres-pub-sub.ts';
import type { Client } from 'pg';

const schemaVersion = 1;

/** Creates every table of an empty schema. */
const tables = [journalSchema, noteSchema, copySchema, tableSchema(dialect)].join('\n');

const minServerVersion = 14;

/** The version, encoding and tables of a database server. */
interface ServerFacts {
  readonly server: number;
  readonly version: string;
  readonly encoding: string;
  readonly hasSchema: boolean;
  readonly hasVersions: boolean;
}

/** Creates the tables of an empty schema. Of several processes that start at once, one creates them and the others wait. Returns the server's name and version. */
export async function createTables(client: Client, address: PostgresAddress, lock: number): Promise<string> {
  const { version: server } = await readServerFacts(client, address);
  if ((await readVersion(client, address)) !== schemaVersion) await createSchema(client, address, lock);
  return `PostgreSQL ${server}`;
}

async function createSchema(client: Client, address: PostgresAddress, lock: number): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, 0)', [lock]);
    if ((await readVersion(client, address)) === 0) {
      const { hasSchema } = await readServerFacts(client, address);
      if (!hasSchema) await client.query(`CREATE SCHEMA ${address.schema}`);
      await client.query(tables);
      await client.query('CREATE TABLE schema_version (version integer NOT NULL)');
      await client.query('INSERT INTO schema_version VALUES ($1)', [schemaVersion]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function readVersion(client: Client, address: PostgresAddress): Promise<number> {
  const { server, encoding, hasVersions } = await readServerFacts(client, address);
  if (server < minServerVersion * 10_000)
    throw refusal(
      `PostgreSQL at ${address.location} is older than ${minServerVersion}; use ${minServerVersion} or newer`,
    );
  if (encoding !== 'UTF8')
    throw refusal(
      `the database at ${address.location} stores text as ${encoding}; create a database with ENCODING 'UTF8' and use that`,
    );
  if (!hasVersions) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version');
  const version = rows[0]?.version ?? 0;
  if (version <= schemaVersion) return version;
  throw new SignalboxError(
    'store-newer',
    `${address.location} was written by a newer Signalbox (schema ${version}, this one knows ${schemaVersion}): update Signalbox`,
  );
}

/** Reads the catalog tables, because `to_regclass` may return a cached result from before another process created the tables. */
async function readServerFacts(client: Client, { schema }: PostgresAddress): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('server_version_num')::int AS server, current_setting('server_version') AS version,
     current_setting('server_encoding') AS encoding,
     EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS "hasSchema",
     EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version') AS "hasVersions"`,
    [schema],
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('the server returned no version');
  return facts;
}

function refusal(message: string): SignalboxError {
  return new SignalboxError('store-unavailable', message);
}
