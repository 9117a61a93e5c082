import type { PermissionMode } from '../../../core/calls/permission-mode.ts';
import type { Principal } from '../../../core/principal.ts';

/** A session, as the built-in tools see it. */
export interface SessionDescription {
  readonly id: string;
  readonly title: string;
  readonly agent: string;
  readonly model?: string;
  readonly cwd: string;
  readonly state: string;
  readonly permissionMode: PermissionMode;
  readonly owner: Principal;
  readonly createdAt: string;
  readonly activeAt: string;
  readonly queued: number;
  readonly forkedFrom?: string;
  readonly lastTurn?: string;
}

/** A query for sessions. */
export interface SessionSearch {
  readonly limit?: number;
  readonly after?: string;
  readonly cwd?: string;
  readonly owner?: string;
  readonly active?: boolean;
}

/** Looks up sessions for the built-in tools. `get` rejects with `session-unknown` where there is none. */
export interface SessionLookup {
  list(search: SessionSearch): Promise<{ readonly items: readonly SessionDescription[]; readonly next?: string }>;
  count(search: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  get(id: string): Promise<SessionDescription>;
}
