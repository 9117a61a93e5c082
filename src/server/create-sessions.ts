import { type RuntimeTools, runtimeTools } from '../runtimes/runtime-tools.ts';
import type { Agent, AgentOptions, Agents } from '../sessions/agent.ts';
import { type SessionSettings, createSessions as openSessions } from '../sessions/create-sessions.ts';
import { JobScheduler, type Schedules } from '../sessions/schedules/schedules.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { internalsOf } from '../signalbox/internal-signalbox.ts';
import type { Signalbox } from '../signalbox/signalbox.ts';
import { jobTools } from '../sources/local/builtin/job-tools.ts';

/** Options of `createSessions`. */
export interface CreateSessionsOptions extends SessionSettings {
  /** The agents by name. Their runtimes belong to the caller, who closes them after the sessions. */
  readonly agents: Readonly<Record<string, AgentOptions>>;
  /** The agent of sessions that name none: the first unless given. */
  readonly defaultAgent?: string;
}

const toolsOfRuntimes = new WeakMap<Signalbox, Map<string, RuntimeTools>>();

/** Opens the sessions in the store of a box. Close them before the box. Rejects with `agent-unknown` when `defaultAgent` is not an agent. */
export async function createSessions(box: Signalbox, options: CreateSessionsOptions): Promise<Sessions> {
  const { agents: named, defaultAgent, ...rest } = options;
  const agents = Object.entries(named).map(([name, agent]): Agent => ({
    ...agent,
    name,
    runtimeTools: toolsOf(box, agent.runtime.name),
  }));
  const first = agents[0]?.name;
  if (first === undefined) throw new TypeError('createSessions needs at least one agent');
  const list: Agents = { list: () => agents, defaultName: defaultAgent ?? first };
  return await openSessions({ ...rest, box: internalsOf(box), agents: list });
}

/** Starts the jobs that begin sessions at their times, and adds the built-in tools that manage them. Close them before the sessions. */
export function createSchedules(box: Signalbox, sessions: Sessions): Schedules {
  const { jobStore, shared, secrets, builtin } = internalsOf(box);
  const schedules = new JobScheduler({
    store: jobStore,
    pubSub: shared.pubSub,
    sessions,
    redact: (text) => secrets.redact(text),
  });
  for (const tool of jobTools({ jobs: schedules, sessions })) builtin?.add(tool);
  schedules.start();
  return schedules;
}

/** Returns the server of the tools that a runtime runs itself, which is added to the box once. Both Claude runtimes share one. */
function toolsOf(box: Signalbox, runtime: string): RuntimeTools {
  const server = runtime.startsWith('claude') ? 'claude' : runtime;
  const known = toolsOfRuntimes.get(box) ?? new Map<string, RuntimeTools>();
  toolsOfRuntimes.set(box, known);
  const tools = known.get(server) ?? runtimeTools(server);
  if (!known.has(server)) {
    box.servers.add(tools);
    known.set(server, tools);
  }
  return tools;
}
