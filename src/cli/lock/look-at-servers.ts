import { type ServerDiff, diffServer } from '../../catalog/lock/diff-lock.ts';
import { lockOf } from '../../catalog/lock/lock-of.ts';
import type { Lock } from '../../catalog/lock/lock.ts';
import type { Source } from '../../catalog/source.ts';
import type { Configuration } from '../../config/configuration.ts';
import { nearest } from '../../model/nearest.ts';
import { type Failure, usageFailure } from '../fail.ts';
import type { Globals } from '../globals.ts';
import { loadBoxParts } from '../load-box-parts.ts';
import { readLock } from './lock-file.ts';

/** How a server stands to the lock. */
export interface ServerStanding {
  readonly server: string;
  /** `missing`: it is locked, but not configured any more. */
  readonly status: 'unlocked' | 'unchanged' | 'changed' | 'down' | 'disabled' | 'missing';
  readonly isLocked: boolean;
  /** How many tools it has now. */
  readonly tools: number;
  /** Why it is down. */
  readonly reason?: string;
  readonly diff?: ServerDiff;
}

/** The lock, and what the servers say now. */
export interface Looked {
  readonly directory: string;
  /** `undefined` when there is no lock file. */
  readonly lock: Lock | undefined;
  readonly now: Lock;
  readonly standings: readonly ServerStanding[];
}

/** Starts the servers of the configuration, writing nothing, and compares them with the lock. */
export async function lookAtServers(globals: Globals): Promise<Looked> {
  const { openBoxAnyway, readConfiguration } = await loadBoxParts();
  const { configuration } = readConfiguration(globals);
  const { directory } = configuration;
  const lock = readLock(directory);
  const { box, sources } = await openBoxAnyway(configuration, { secretsFrom: globals.data });
  try {
    const now = lockOf(sources);
    return { directory, lock, now, standings: standingsOf(configuration, sources, lock, now) };
  } finally {
    await box.close();
  }
}

function standingsOf(
  { servers }: Configuration,
  sources: readonly Source[],
  lock: Lock | undefined,
  now: Lock,
): ServerStanding[] {
  const configured = servers.map(({ name: server, disabled }): ServerStanding => {
    const [locked, present] = [lock?.servers.get(server), now.servers.get(server)];
    const about = { server, isLocked: locked !== undefined, tools: present?.tools.size ?? 0 };
    if (disabled) return { ...about, status: 'disabled' };
    if (present === undefined) {
      const reason = sources.find((source) => source.server === server)?.state().down?.reason;
      return { ...about, status: 'down', ...(reason === undefined ? {} : { reason }) };
    }
    if (locked === undefined) return { ...about, status: 'unlocked' };
    const diff = diffServer(server, locked, present);
    return diff === undefined ? { ...about, status: 'unchanged' } : { ...about, status: 'changed', diff };
  });
  const names = new Set(servers.map(({ name }) => name));
  const missing = [...(lock?.servers.keys() ?? [])]
    .filter((server) => !names.has(server))
    .map((server): ServerStanding => ({ server, status: 'missing', isLocked: true, tools: 0 }));
  return [...configured, ...missing];
}

/** Nothing of that name is configured or locked. */
export function unknownServer(name: string, standings: readonly ServerStanding[]): Failure {
  const names = standings.map(({ server }) => server);
  const meant = nearest(name, names);
  const hint = meant === undefined ? `there are: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
  return usageFailure(`no server is named "${name}"; ${hint}`);
}
