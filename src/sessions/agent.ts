import { SignalboxError } from '../core/errors.ts';
import { closestMatch } from '../core/text/closest-match.ts';
import { type PermissionMode, isPermissiveMode } from '../core/calls/permission-mode.ts';
import type { Principal } from '../core/principal.ts';
import type { RuntimeTools } from '../runtimes/runtime-tools.ts';
import type { Runtime } from '../runtimes/runtime.ts';

/** An agent that sessions can use. */
export interface AgentOptions {
  readonly runtime: Runtime;
  readonly model?: string;
  /** Text about the application and its tools, added to the agent's own instructions. */
  readonly instructions?: string;
  /** The profile that limits which tools the agent sees and may call. */
  readonly profile?: string;
  /** The working directory of sessions that name none. */
  readonly cwd?: string;
  /** The permission mode of sessions that name none. */
  readonly permissionMode?: PermissionMode;
}

/** An agent as the configuration describes it, ready to take turns. */
export interface Agent extends AgentOptions {
  readonly name: string;
  /** The mount of the runtime's own tools in the box. */
  readonly runtimeTools: RuntimeTools;
}

/** The agents that are configured now. Read again for every turn. */
export interface Agents {
  list(): readonly Agent[];
  /** The name of the agent for sessions that name none. */
  readonly defaultName: string;
}

/** Returns the agent with this name. Throws `agent-unknown` when it does not exist or was removed. */
export function findAgent<One extends { readonly name: string }>(
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
    `there is no agent ${JSON.stringify(name)}${guess} (agents: ${names.join(', ')})`,
  );
}

/** Returns the permission mode of a session that names none. Agents never get a mode freer than `default` this way: only a human may choose one. */
export function defaultMode(
  { permissionMode = 'default' }: Pick<Agent, 'permissionMode'>,
  owner: Principal,
): PermissionMode {
  return owner.kind === 'agent' && isPermissiveMode(permissionMode) ? 'default' : permissionMode;
}
