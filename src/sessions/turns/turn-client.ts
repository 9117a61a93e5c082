import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallClient, SamplingAnswer, SamplingRequest } from '../../core/calls/call-client.ts';
import { messageOf } from '../../core/errors.ts';
import type { PermissionMode } from '../../core/calls/permission-mode.ts';
import type { Agent } from '../agent.ts';
import type { SessionEventBody } from '../events/session-event.ts';
import type { ElicitationSource, TurnElicitations } from './turn-elicitations.ts';

/** The turn that makes the calls. */
export interface TurnClientOptions {
  readonly elicitations: TurnElicitations;
  readonly agent: Agent;
  /** All agents. When the turn's agent has no model, another agent's model answers sampling. */
  readonly agents: readonly Agent[];
  readonly cwd: string;
  readonly permissionMode: PermissionMode;
  emit(event: SessionEventBody): void;
}

/** An agent whose runtime can ask a model directly. */
interface Sampler {
  readonly model: string;
  readonly sample: NonNullable<Agent['runtime']['sample']>;
}

/** Returns the client of one call: the session's user answers questions, its directory is the only root. */
export function createTurnClient(options: TurnClientOptions, toolCallId: string): CallClient {
  const { elicitations, cwd } = options;
  return {
    // All calls of a turn share one identity, because they have the same user.
    identity: elicitations,
    elicit: (request, { signal, server = '' }) => elicitations.ask(request, { toolCallId, server, signal }),
    sample: (request, { signal, server = '' }) => sampleWithConsent(options, request, { toolCallId, server, signal }),
    roots: () => [{ uri: pathToFileURL(cwd).href, name: basename(cwd) }],
  };
}

/** Asks a model for a server once the user has agreed. Rejects when the user declines, and when the agent has no model. */
async function sampleWithConsent(
  { elicitations, agent, agents, permissionMode, emit }: TurnClientOptions,
  request: SamplingRequest,
  source: ElicitationSource,
): Promise<SamplingAnswer> {
  const sampler = findSampler(agent, agents);
  if (sampler === undefined)
    throw new Error(
      `no model can answer sampling/createMessage: the agent "${agent.name}" has the runtime "${agent.runtime.name}", which does not support sampling; add an agent with "runtime": "model" to the configuration`,
    );
  if (permissionMode === 'dontAsk')
    throw new Error('sampling/createMessage needs a person’s consent, and the permission mode "dontAsk" asks nobody');
  const { model, sample } = sampler;
  const message = `The server "${source.server}" wants to send this request to the model ${model} and read the answer.`;
  const { action } = await elicitations.ask({ mode: 'sampling', message, model, request }, source);
  if (action !== 'accept') throw new Error(`the user did not allow the sampling request (${action})`);
  const about = { type: 'sampling_result', toolCallId: source.toolCallId, server: source.server, model } as const;
  try {
    const answer = await sample(request, { model, signal: source.signal });
    emit({ ...about, content: answer.content });
    return answer;
  } catch (error) {
    emit({ ...about, error: messageOf(error) });
    throw error;
  }
}

function findSampler(agent: Agent, agents: readonly Agent[]): Sampler | undefined {
  // The demo model is used only by its own agent: its answers would mislead a server that expects a real model.
  const others = agents.filter(({ model }) => model !== undefined && model !== 'demo');
  for (const { runtime, model = 'demo' } of [agent, ...others])
    if (runtime.sample !== undefined) return { model, sample: runtime.sample.bind(runtime) };
  return undefined;
}
