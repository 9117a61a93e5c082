import type { Client } from 'pg';
import { SignalboxError } from '../../core/errors.ts';
import type { Address } from './address.ts';
import { schemaSteps } from './schema.ts';

const oldest = 14;

/** Facts about a server and the tables in it. */
interface Standing {
  readonly server: number;
  readonly version: string;
  readonly encoding: string;
  readonly hasSchema: boolean;
  readonly hasVersions: boolean;
}

/** Brings the tables up to date; of several processes that start at once, one does it and the others wait for it. Tells which server it is. */
export async function migrate(client: Client, address: Address, lock: number): Promise<string> {
  const newest = schemaSteps.length;
  const { version: server } = await standingOf(client, address);
  if ((await versionOf(client, address)) !== newest) await bringUp(client, address, lock);
  return `PostgreSQL ${server}`;
}

async function bringUp(client: Client, address: Address, lock: number): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, 0)', [lock]);
    const version = await versionOf(client, address);
    if (version === 0) {
      const { hasSchema } = await standingOf(client, address);
      if (!hasSchema) await client.query(`CREATE SCHEMA ${address.schema}`);
      await client.query(
        'CREATE TABLE schema_version (version integer NOT NULL); INSERT INTO schema_version VALUES (0)',
      );
    }
    for (const step of schemaSteps.slice(version)) await client.query(step);
    await client.query('UPDATE schema_version SET version = $1', [schemaSteps.length]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function versionOf(client: Client, address: Address): Promise<number> {
  const { server, encoding, hasVersions } = await standingOf(client, address);
  if (server < oldest * 10_000)
    throw refusal(`PostgreSQL at ${address.location} is older than ${oldest}; use ${oldest} or newer`);
  if (encoding !== 'UTF8')
    throw refusal(
      `the database at ${address.location} keeps text as ${encoding}; create one with ENCODING 'UTF8' and name that`,
    );
  if (!hasVersions) return 0;
  const { rows } = await client.query<{ version: number }>('SELECT version FROM schema_version');
  const version = rows[0]?.version ?? 0;
  const newest = schemaSteps.length;
  if (version <= newest) return version;
  throw new SignalboxError(
    'store-newer',
    `${address.location} was written by a newer Signalbox (schema ${version}, this one knows ${newest}): update Signalbox`,
  );
}

/** Asks the tables of the server: what `to_regclass` remembers may be older than what another process has just made. */
async function standingOf(client: Client, { schema }: Address): Promise<Standing> {
  const { rows } = await client.query<Standing>(
    `SELECT current_setting('server_version_num')::int AS server, current_setting('server_version') AS version,
     current_setting('server_encoding') AS encoding,
     EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS "hasSchema",
     EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'schema_version') AS "hasVersions"`,
    [schema],
  );
  const [standing] = rows;
  if (standing === undefined) throw new Error('the server tells nothing of itself');
  return standing;
}

function refusal(message: string): SignalboxError {
  return new SignalboxError('store-unavailable', message);
}
