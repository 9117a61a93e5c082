import type { Lock, LockedServer } from '../../catalog/lock/lock.ts';
import { SignalboxError } from '../../model/errors.ts';
import type { ServerStanding } from './standing.ts';

/** What a server says now, to be locked; `undefined` when it is not configured any more. Throws when it cannot be looked at. */
export function acceptedServer({ server, status, reason }: ServerStanding, now: Lock): LockedServer | undefined {
  if (status === 'missing') return undefined;
  const present = now.servers.get(server);
  if (present !== undefined) return present;
  const why = status === 'disabled' ? 'disabled' : `down: ${reason ?? 'it does not answer'}`;
  throw new SignalboxError('server-down', `server "${server}" cannot be looked at, it is ${why}`);
}

/** Returns whether accepting a server replaces its pin: it has changed, and no lock was committed for it. */
export function acceptsPin({ status, isLocked }: ServerStanding): boolean {
  return status === 'changed' && !isLocked;
}

/** The lock with a server in its new form, or without it. */
export function withServer(lock: Lock | undefined, server: string, accepted: LockedServer | undefined): Lock {
  const servers = new Map(lock?.servers);
  if (accepted === undefined) servers.delete(server);
  else servers.set(server, accepted);
  return { servers };
}
