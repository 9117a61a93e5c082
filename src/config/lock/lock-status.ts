import { hashOf } from '../../catalog/lock/canonical-json.ts';
import { type ServerDiff, diffServer } from '../../catalog/lock/diff-lock.ts';
import { printLock } from '../../catalog/lock/lock-format.ts';
import type { Lock, LockedServer } from '../../catalog/lock/lock-types.ts';
import { diffPin } from '../../catalog/pins/pin-source.ts';
import type { Source } from '../../catalog/source/source.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { ServerEntry } from '../configuration.ts';

/** Compares a server with its lock or, if it is not locked, with its pin. */
export interface ServerLockStatus {
  readonly server: string;
  /** `missing`: the server is locked but not configured. */
  readonly status: 'unlocked' | 'unchanged' | 'changed' | 'down' | 'disabled' | 'missing';
  readonly isLocked: boolean;
  /** Whether the server has a pin and no lock. Calls of changed tools then need approval until the change is accepted. */
  readonly isPinned: boolean;
  /** The number of its tools. */
  readonly tools: number;
  /** The reason why it is down. */
  readonly reason?: string;
  readonly diff?: ServerDiff;
  /** Identifies its current definitions. */
  readonly fingerprint?: string;
}

/** Compares all configured and all locked servers with the lock. */
export function lockStatuses(
  servers: readonly Pick<ServerEntry, 'name' | 'disabled'>[],
  sources: readonly Source[],
  lock: Lock | undefined,
  now: Lock,
  pins: Pick<ReadonlyMap<string, LockedServer>, 'get'>,
): ServerLockStatus[] {
  const configured = servers.map(({ name: server, disabled }): ServerLockStatus => {
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
    .map((server): ServerLockStatus => ({ server, status: 'missing', isLocked: true, isPinned: false, tools: 0 }));
  return [...configured, ...missing];
}

/** The part of a server to accept: one tool, or all of its definitions. */
export interface AcceptedPart {
  /** The fingerprint of the definitions that the person reviewed. Different definitions are rejected. */
  readonly seen?: string;
  /** The server's own name of a tool. */
  readonly tool?: string;
}

/** Returns the current definitions of a server; `undefined` when it is not configured. Throws when the server is not up. */
export function acceptedServer({ server, status, reason }: ServerLockStatus, now: Lock): LockedServer | undefined {
  if (status === 'missing') return undefined;
  const present = now.servers.get(server);
  if (present !== undefined) return present;
  const why = status === 'disabled' ? 'disabled' : `down: ${reason ?? 'it does not answer'}`;
  throw new SignalboxError('server-down', `the tools of server "${server}" cannot be listed, it is ${why}`);
}

/** Returns the accepted definitions with the current definition of one tool, or without it if it was removed. Throws for an unknown tool. */
export function setLockedTool(accepted: LockedServer, tool: string, now: LockedServer | undefined): LockedServer {
  const definition = now?.tools.get(tool);
  if (definition === undefined && !accepted.tools.has(tool))
    throw new SignalboxError('lock-outdated', `the server has no tool named ${JSON.stringify(tool)}`);
  const tools = new Map(accepted.tools);
  if (definition === undefined) tools.delete(tool);
  else tools.set(tool, definition);
  return { ...accepted, tools };
}

/** Returns whether accepting a server replaces its pin: it has changed, and no lock was committed for it. */
export function acceptsPin({ status, isLocked }: ServerLockStatus): boolean {
  return status === 'changed' && !isLocked;
}

/** Returns the lock with new definitions of a server, or without the server. */
export function setLockedServer(lock: Lock | undefined, server: string, accepted: LockedServer | undefined): Lock {
  const servers = new Map(lock?.servers);
  if (accepted === undefined) servers.delete(server);
  else servers.set(server, accepted);
  return { servers };
}
