import { hashOf } from '../../catalog/lock/canonical.ts';
import { type ServerDiff, diffServer } from '../../catalog/lock/diff-lock.ts';
import type { Lock, LockedServer } from '../../catalog/lock/lock.ts';
import { printLock } from '../../catalog/lock/print-lock.ts';
import { diffPin } from '../../catalog/pins/pin-source.ts';
import type { Source } from '../../catalog/source.ts';
import type { ServerEntry } from '../configuration.ts';

/** How a server stands to the lock or, where it is not locked, to its pin. */
export interface ServerStanding {
  readonly server: string;
  /** `missing`: it is locked, but not configured any more. */
  readonly status: 'unlocked' | 'unchanged' | 'changed' | 'down' | 'disabled' | 'missing';
  readonly isLocked: boolean;
  /** The server is not locked, and was seen before: what differs from then asks until it is accepted. */
  readonly isPinned: boolean;
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
  pins: Pick<ReadonlyMap<string, LockedServer>, 'get'>,
): ServerStanding[] {
  const configured = servers.map(({ name: server, disabled }): ServerStanding => {
    const [locked, present] = [lock?.servers.get(server), now.servers.get(server)];
    const pin = locked === undefined ? pins.get(server) : undefined;
    const about = {
      server,
      isLocked: locked !== undefined,
      isPinned: pin !== undefined,
      tools: present?.tools.size ?? 0,
    };
    if (disabled) return { ...about, status: 'disabled' };
    if (present === undefined) {
      const reason = sources.find((source) => source.server === server)?.state().down?.reason;
      return { ...about, status: 'down', ...(reason === undefined ? {} : { reason }) };
    }
    const fingerprint = hashOf(printLock({ servers: new Map([[server, present]]) }));
    const diff =
      locked !== undefined
        ? diffServer(server, locked, present)
        : pin === undefined
          ? undefined
          : diffPin(server, pin, present);
    if (diff !== undefined) return { ...about, status: 'changed', diff, fingerprint };
    return { ...about, status: locked === undefined ? 'unlocked' : 'unchanged', fingerprint };
  });
  const names = new Set(servers.map(({ name }) => name));
  const missing = [...(lock?.servers.keys() ?? [])]
    .filter((server) => !names.has(server))
    .map((server): ServerStanding => ({ server, status: 'missing', isLocked: true, isPinned: false, tools: 0 }));
  return [...configured, ...missing];
}
