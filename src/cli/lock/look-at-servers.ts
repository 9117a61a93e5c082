import { lockOf } from '../../catalog/lock/locked-server.ts';
import type { Lock, LockedServer } from '../../catalog/lock/lock-types.ts';
import type { Configuration } from '../../config/configuration.ts';
import { type ServerLockStatus, acceptsPin, lockStatuses } from '../../config/lock/lock-status.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { type Failure, usageFailure } from '../fail.ts';
import type { Globals } from '../globals.ts';
import { loadHost } from '../../host/load-host.ts';
import { ProgressLine } from '../progress-line.ts';
import { connectToServer } from '../server/connect.ts';
import type { ServerClient } from '../server/server-client.ts';
import { startingServers } from '../starting-servers.ts';
import { tellWarnings } from '../tell-warnings.ts';
import type { Printer } from '../terminal.ts';
import { withAccepted } from './with-accepted.ts';

/** The lock, and what the servers say now. */
export interface Looked {
  readonly configuration: Configuration;
  readonly directory: string;
  /** Where the records are, with what other machines accepted. */
  readonly store: string;
  /** `undefined` when there is no lock file. */
  readonly file: Lock | undefined;
  /** The file with what was accepted elsewhere. */
  readonly lock: Lock | undefined;
  readonly now: Lock;
  readonly standings: readonly ServerLockStatus[];
  /** What was first seen or accepted of the servers that are not locked. */
  readonly pins: ReadonlyMap<string, LockedServer | undefined>;
  /** The running server, and the standings of those whose definitions changed there: only that process knows what they say. */
  readonly atServer: ChangedAtServer | undefined;
}

interface ChangedAtServer {
  readonly client: ServerClient;
  readonly changed: ReadonlyMap<string, ServerLockStatus>;
}

/** Starts the servers of the configuration, writing nothing, and compares them with the lock. */
export async function lookAtServers(globals: Globals, errors: Printer): Promise<Looked> {
  const { assertTrusted, openBoxForDiagnosis, readConfiguration } = await loadHost();
  const { configuration } = readConfiguration(globals);
  // The store has what other machines accepted, and the configuration names the store.
  await assertTrusted(configuration, globals.data);
  await tellWarnings(configuration, globals, errors);
  const { directory, store } = configuration;
  const file = readLock(directory);
  const lock = await withAccepted({ store, data: globals.data }, async (accepted) => accepted.over(file));
  const configured = await new ProgressLine(errors).during(
    startingServers(configuration),
    async () => await openBoxForDiagnosis(configuration, { secretsFrom: globals.data }),
  );
  try {
    const sources = configured.sources();
    const now = lockOf(sources);
    const own = lockStatuses(configuration.servers, sources, lock, now, configured.pins());
    const atServer = await changedAtServer(globals, errors);
    const standings = own.map((standing) => atServer?.changed.get(standing.server) ?? standing);
    const pins = new Map(own.map(({ server }) => [server, configured.pins().get(server)]));
    return { configuration, directory, store, file, lock, now, standings, pins, atServer };
  } finally {
    await configured.close();
  }
}

/** A server may change while it runs: another process of it says what it said at first. */
async function changedAtServer(globals: Globals, errors: Printer): Promise<ChangedAtServer | undefined> {
  const connected = await connectToServer(globals, errors);
  if (connected === undefined) return undefined;
  const { client } = connected;
  const { items } = await client.request<{ items: readonly ServerLockStatus[] }>('GET', '/api/lock');
  return { client, changed: new Map(items.filter(acceptsPin).map((standing) => [standing.server, standing])) };
}

/** Nothing of that name is configured or locked. */
export function unknownServer(name: string, standings: readonly ServerLockStatus[]): Failure {
  const names = standings.map(({ server }) => server);
  const meant = closestMatch(name, names);
  const hint = meant === undefined ? `there are: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return usageFailure(`no server is named "${name}"; ${hint}`, { next: 'signalbox tools --why lists the servers' });
}
