import type { ProcessRole } from '../../server/server-options.ts';

/** The settings of a server from the command line. */
export interface ServerSettings {
  /** The preferred port; the next free one is used when it is taken. 0 means any. */
  readonly port: number;
  readonly host: string;
  readonly role: ProcessRole;
  /** Host headers to accept besides its own address. */
  readonly allowedHost: readonly string[];
  /** The maximum number of concurrent turns. */
  readonly turns: number;
  /** The maximum number of concurrent calls; others are rejected with status 503. */
  readonly maxCalls?: number;
  readonly drainSeconds: number;
  readonly graceSeconds: number;
}
