import type { Lock, LockedServer } from '../../../catalog/lock/lock-types.ts';
import { lockOf } from '../../../catalog/lock/locked-server.ts';
import type { Configuration } from '../../../config/configuration.ts';
import { AcceptedChanges } from '../../../config/lock/accepted-changes.ts';
import { readLock } from '../../../config/lock/lock-file.ts';
import { type ServerLockStatus, acceptsPin, lockStatuses } from '../../../config/lock/lock-status.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { loadHost } from '../../../host/load-host.ts';
import { openStore, resolveStoreAddress } from '../../../host/store/open-store.ts';
import { isPostgresAddress } from '../../../store/postgres/address.ts';
import { sqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { connectToServer } from '../../client/connect-to-server.ts';
import type { ServerClient } from '../../client/server-client.ts';
import { type CliError, usageError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { ProgressLine, startingServersMessage } from '../../terminal/progress-line.ts';
import type { Printer } from '../../terminal/terminal.ts';
import { printWarnings } from '../../terminal/warnings.ts';

/** The lock, compared with the current definitions of the servers. */
export interface ServerComparison {
  readonly configuration: Configuration;
  readonly directory: string;
  /** The address of the store, which has the changes that other machines accepted. */
  readonly store: string;
  /** `undefined` when the lock file does not exist. */
  readonly file: Lock | undefined;
  /** The lock file, merged with the changes that other machines accepted. */
  readonly lock: Lock | undefined;
  readonly now: Lock;
  readonly statuses: readonly ServerLockStatus[];
  /** The pinned definitions of the servers that are not locked. */
  readonly pins: ReadonlyMap<string, LockedServer | undefined>;
  /** The running server and the servers whose definitions changed while it ran, which only that process has seen. */
  readonly atServer: ChangedAtServer | undefined;
}

interface ChangedAtServer {
  readonly client: ServerClient;
  readonly changed: ReadonlyMap<string, ServerLockStatus>;
}

/** Starts the servers of the configuration without writing records, and compares them with the lock. */
export async function compareServers(globals: GlobalOptions, errors: Printer): Promise<ServerComparison> {
  const { assertTrusted, openBoxForDiagnosis, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  // The next step opens the store that the configuration names.
  await assertTrusted(configuration, globals.data);
  await printWarnings(configuration, globals, errors);
  const { directory, store } = configuration;
  const file = readLock(directory);
  const lock = await withAccepted({ store, data: globals.data }, async (accepted) => accepted.over(file));
  const configured = await new ProgressLine(errors).during(
    startingServersMessage(configuration),
    async () => await openBoxForDiagnosis(configuration, { secretsFrom: globals.data }),
  );
  try {
    const sources = configured.sources();
    const now = lockOf(sources);
    const own = lockStatuses(configuration.servers, sources, lock, now, configured.pins());
    const atServer = await changedAtServer(globals, errors);
    const statuses = own.map((lockStatus) => atServer?.changed.get(lockStatus.server) ?? lockStatus);
    const pins = new Map(own.map(({ server }) => [server, configured.pins().get(server)]));
    return { configuration, directory, store, file, lock, now, statuses, pins, atServer };
  } finally {
    await configured.close();
  }
}

/** Returns changes that the running server saw. A server may change while it runs, and a new process of it has the initial definitions. */
async function changedAtServer(globals: GlobalOptions, errors: Printer): Promise<ChangedAtServer | undefined> {
  const connected = await connectToServer(globals, errors);
  if (connected === undefined) return undefined;
  const { client } = connected;
  const { items } = await client.request<{ items: readonly ServerLockStatus[] }>('GET', '/api/lock');
  return { client, changed: new Map(items.filter(acceptsPin).map((lockStatus) => [lockStatus.server, lockStatus])) };
}

/** Creates the error for a server that is neither configured nor locked. */
export function noSuchServer(name: string, statuses: readonly ServerLockStatus[]): CliError {
  const names = statuses.map(({ server }) => server);
  const meant = closestMatch(name, names);
  const hint = meant === undefined ? `the servers are: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return usageError(`no server is named "${name}"; ${hint}`, 'signalbox tools --why lists the servers');
}

/** Runs `work` with the changes that all machines on a PostgreSQL store have accepted. On SQLite, the lock file contains all of them. */
export async function withAccepted<Value>(
  { store, data }: { readonly store: string; readonly data: string },
  work: (accepted: AcceptedChanges) => Promise<Value>,
): Promise<Value> {
  const opened = isPostgresAddress(await resolveStoreAddress(store, data))
    ? (await openStore(store, data)).store
    : sqliteStore();
  try {
    const accepted = new AcceptedChanges(opened);
    await accepted.load();
    return await work(accepted);
  } finally {
    await opened.close();
  }
}
