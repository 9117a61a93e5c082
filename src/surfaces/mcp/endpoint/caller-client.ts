import type { Asking, CallClient, Elicitation, ElicitationAnswer, LogMessage, Root } from '../../../core/client.ts';
import type { SamplingAnswer } from '../../../core/client.ts';
import { type JsonObject, isJsonObject } from '../../../core/json.ts';
import type { Abilities } from './abilities.ts';

/** Puts a question of a tool to the client that made the call, and to no other. */
export type Ask = (method: string, params: JsonObject, asking: Asking | undefined) => Promise<JsonObject>;

/** The client of a call as the pipeline sees it. Answers are checked there. */
export function callerClient(
  identity: object,
  { form, url, sample, roots }: Abilities,
  ask: Ask,
  log: ((message: LogMessage) => void) | undefined,
): CallClient {
  return {
    identity,
    ...(form || url
      ? { elicit: (request: Elicitation, asking: Asking) => elicit(request, asking, { form, url }, ask) }
      : {}),
    ...(sample
      ? {
          sample: async (request: JsonObject, asking: Asking) =>
            (await ask('sampling/createMessage', request, asking)) as SamplingAnswer,
        }
      : {}),
    ...(roots ? { roots: async (asking?: Asking) => rootsOf(await ask('roots/list', {}, asking)) } : {}),
    ...(log === undefined ? {} : { log }),
  };
}

async function elicit(
  request: Elicitation,
  asking: Asking,
  abilities: Pick<Abilities, 'form' | 'url'>,
  ask: Ask,
): Promise<ElicitationAnswer> {
  if (!abilities[request.mode])
    throw new Error(
      request.mode === 'url' ? 'the client cannot send its user to a page' : 'the client cannot show its user a form',
    );
  return (await ask('elicitation/create', { ...request }, asking)) as ElicitationAnswer;
}

function rootsOf({ roots }: JsonObject): Root[] {
  if (!Array.isArray(roots)) throw new Error('the client did not say which directories it works in');
  return roots.flatMap((root): Root[] => {
    if (!isJsonObject(root) || typeof root['uri'] !== 'string') return [];
    const { uri, name } = root;
    return [{ uri, ...(typeof name === 'string' ? { name } : {}) }];
  });
}
