import type { Lock, LockedServer } from '../../catalog/lock/lock.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { ServerStanding } from './lock-status.ts';

/** What of a server is accepted: everything it says, unless a tool is named. */
export interface AcceptedPart {
  /** The fingerprint of what the human looked at: nothing else is accepted. */
  readonly seen?: string;
  /** The server's own name of a tool. */
  readonly tool?: string;
}

/** What a server says now, to be locked; `undefined` when it is not configured any more. Throws when it cannot be looked at. */
export function acceptedServer({ server, status, reason }: ServerStanding, now: Lock): LockedServer | undefined {
  if (status === 'missing') return undefined;
  const present = now.servers.get(server);
  if (present !== undefined) return present;
  const why = status === 'disabled' ? 'disabled' : `down: ${reason ?? 'it does not answer'}`;
  throw new SignalboxError('server-down', `server "${server}" cannot be looked at, it is ${why}`);
}

/** Returns what was accepted of a server with one tool as it is now, or without it. Throws when the server never had it. */
export function withTool(accepted: LockedServer, tool: string, now: LockedServer | undefined): LockedServer {
  const definition = now?.tools.get(tool);
  if (definition === undefined && !accepted.tools.has(tool))
    throw new SignalboxError('lock-outdated', `the server has no tool named ${JSON.stringify(tool)}`);
  const tools = new Map(accepted.tools);
  if (definition === undefined) tools.delete(tool);
  else tools.set(tool, definition);
  return { ...accepted, tools };
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
