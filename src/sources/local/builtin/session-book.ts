import type { PermissionMode } from '../../../core/calls/permission-mode.ts';
import type { Principal } from '../../../core/principal.ts';

/** What the built-in tools know of a session. */
export interface SessionFacts {
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

/** Which sessions are wanted. */
export interface SessionSearch {
  readonly limit?: number;
  readonly after?: string;
  readonly cwd?: string;
  readonly owner?: string;
  readonly active?: boolean;
}

/** Where the built-in tools look sessions up. `get` rejects with `session-unknown` where there is none. */
export interface SessionBook {
  list(search: SessionSearch): Promise<{ readonly items: readonly SessionFacts[]; readonly next?: string }>;
  count(search: { readonly cwd?: string; readonly owner?: string }): Promise<number>;
  get(id: string): Promise<SessionFacts>;
}
