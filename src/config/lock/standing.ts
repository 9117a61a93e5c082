import { hashOf } from '../../catalog/lock/canonical.ts';
import { type ServerDiff, diffServer } from '../../catalog/lock/diff-lock.ts';
import type { Lock } from '../../catalog/lock/lock.ts';
import { printLock } from '../../catalog/lock/print-lock.ts';
import type { Source } from '../../catalog/source.ts';
import type { ServerEntry } from '../configuration.ts';

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
  /** Identifies what the server says now. */
  readonly fingerprint?: string;
}

/** Compares servers with the lock: those that are configured, and those that are only locked. */
export function standingsOf(
  servers: readonly Pick<ServerEntry, 'name' | 'disabled'>[],
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
    const fingerprint = hashOf(printLock({ servers: new Map([[server, present]]) }));
    if (locked === undefined) return { ...about, status: 'unlocked', fingerprint };
    const diff = diffServer(server, locked, present);
    return diff === undefined
      ? { ...about, status: 'unchanged', fingerprint }
      : { ...about, status: 'changed', diff, fingerprint };
  });
  const names = new Set(servers.map(({ name }) => name));
  const missing = [...(lock?.servers.keys() ?? [])]
    .filter((server) => !names.has(server))
    .map((server): ServerStanding => ({ server, status: 'missing', isLocked: true, tools: 0 }));
  return [...configured, ...missing];
}
