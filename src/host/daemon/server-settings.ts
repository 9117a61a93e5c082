import type { ProcessRole } from '../../server/process-role.ts';

/** The settings of a server from the command line. */
export interface ServerSettings {
  /** The preferred port; the next free one is used when it is taken. 0 means any. */
  readonly port: number;
  readonly host: string;
  readonly role: ProcessRole;
  /** Host headers to accept besides its own address. */
  readonly allowedHost: readonly string[];
  /** How many turns run at the same time. */
  readonly turns: number;
  /** How many calls run at the same time; more are refused with 503. */
  readonly maxCalls?: number;
  readonly drainSeconds: number;
  readonly graceSeconds: number;
}
