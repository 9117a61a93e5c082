import type { ProcessRole } from '../../server/process-role.ts';

/** What the command line says about a server. */
export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly role: ProcessRole;
  readonly allowedHost: readonly string[];
  readonly turns: number;
  /** Whether it starts although a server of the same configuration runs on the data directory. */
  readonly force?: boolean;
  readonly maxCalls?: number;
  readonly drainSeconds: number;
  readonly graceSeconds: number;
}
