import { SignalboxError } from '../core/errors.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import { type PermissionMode, isFreerMode } from '../core/calls/permission-mode.ts';
import type { Principal } from '../core/principal.ts';
import type { RuntimeTools } from '../runtimes/runtime-tools.ts';
import type { Runtime } from '../runtimes/runtime.ts';

/** An agent as the configuration describes it, ready to take turns. */
export interface Agent {
  readonly name: string;
  readonly runtime: Runtime;
  /** Where the runtime's own tools are mounted in the box. */
  readonly own: RuntimeTools;
  readonly model?: string;
  /** What it is told about the application and its tools, besides its own instructions. */
  readonly instructions?: string;
  /** What of the catalog it sees, and may call. */
  readonly profile?: string;
  /** The directory of sessions that name none. */
  readonly cwd?: string;
  /** How freely it may act in sessions that do not say. */
  readonly permissionMode?: PermissionMode;
}

/** The agents there are now; looked at again for every turn. */
export interface Agents {
  list(): readonly Agent[];
  /** The agent of sessions that name none. */
  readonly usual: string;
}

/** The agent of that name; throws `agent-unknown` where there is none (any more). */
export function agentNamed<One extends { readonly name: string }>(
  agents: { list(): readonly One[] },
  name: string,
): One {
  const all = agents.list();
  const agent = all.find((one) => one.name === name);
  if (agent !== undefined) return agent;
  const names = all.map((one) => one.name);
  const near = closestMatch(name, names);
  const guess = near === undefined ? '' : `; did you mean "${near}"?`;
  throw new SignalboxError(
    'agent-unknown',
    `there is no agent ${JSON.stringify(name)}${guess} There are: ${names.join(', ')}`,
  );
}

/** How freely an agent acts where nobody says. What a human configured for itself is not for agents to begin by themselves. */
export function usualMode(
  { permissionMode = 'default' }: Pick<Agent, 'permissionMode'>,
  owner: Principal,
): PermissionMode {
  return owner.kind === 'agent' && isFreerMode(permissionMode) ? 'default' : permissionMode;
}
