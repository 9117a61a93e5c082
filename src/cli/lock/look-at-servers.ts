import { lockOf } from '../../catalog/lock/lock-of.ts';
import type { Lock } from '../../catalog/lock/lock.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import { type ServerStanding, standingsOf } from '../../config/lock/standing.ts';
import { nearest } from '../../model/nearest.ts';
import { type Failure, usageFailure } from '../fail.ts';
import type { Globals } from '../globals.ts';
import { loadBoxParts } from '../load-box-parts.ts';
import { ProgressLine } from '../progress-line.ts';
import { startingServers } from '../starting-servers.ts';
import { tellWarnings } from '../tell-warnings.ts';
import type { Printer } from '../terminal.ts';
import { withAccepted } from './with-accepted.ts';

/** The lock, and what the servers say now. */
export interface Looked {
  readonly directory: string;
  /** Where the records are, with what other machines accepted. */
  readonly store: string;
  /** `undefined` when there is no lock file. */
  readonly file: Lock | undefined;
  /** The file with what was accepted elsewhere. */
  readonly lock: Lock | undefined;
  readonly now: Lock;
  readonly standings: readonly ServerStanding[];
}

/** Starts the servers of the configuration, writing nothing, and compares them with the lock. */
export async function lookAtServers(globals: Globals, errors: Printer): Promise<Looked> {
  const { assertTrusted, openBoxAnyway, readConfiguration } = await loadBoxParts();
  const { configuration } = readConfiguration(globals);
  // What other machines accepted is in the store, and the configuration names that.
  await assertTrusted(configuration, globals.data);
  await tellWarnings(configuration, globals, errors);
  const { directory, store } = configuration;
  const file = readLock(directory);
  const lock = await withAccepted({ store, data: globals.data }, async (accepted) => accepted.over(file));
  const configured = await new ProgressLine(errors).during(
    startingServers(configuration),
    async () => await openBoxAnyway(configuration, { secretsFrom: globals.data }),
  );
  try {
    const sources = configured.sources();
    const now = lockOf(sources);
    return { directory, store, file, lock, now, standings: standingsOf(configuration.servers, sources, lock, now) };
  } finally {
    await configured.close();
  }
}

/** Nothing of that name is configured or locked. */
export function unknownServer(name: string, standings: readonly ServerStanding[]): Failure {
  const names = standings.map(({ server }) => server);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `there are: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return usageFailure(`no server is named "${name}"; ${hint}`, { next: 'signalbox tools --why lists the servers' });
}
