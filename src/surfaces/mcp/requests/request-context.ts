import type { AbortSignalLike } from '../../../core/async/light-abort-signal.ts';
import type {
  QuestionOptions,
  CallClient,
  Elicitation,
  ElicitationAnswer,
  LogMessage,
  CallRoot,
  SamplingAnswer,
} from '../../../core/calls/call-client.ts';
import type { Progress } from '../../../core/calls/call.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Shown, View } from '../listing/catalog-view.ts';
import type { ClientFeatures, ClientName } from '../protocol/client-info.ts';

/** Who is at the other end. */
export interface Peer {
  /** Whoever holds the token may be a person; what comes over MCP is an agent’s doing. */
  readonly principal: Principal;
  readonly view: View;
  /** Returns the principal of a client by the name it gave, where one connection may serve clients of several names. */
  readonly principalOf?: ((client: ClientName) => Principal) | undefined;
}

/** Whoever waits for the answer to one request. */
export interface RequestContext extends Peer {
  readonly isModern: boolean;
  /** The session that its calls belong to. */
  readonly session: string;
  readonly signal: AbortSignalLike;
  readonly client: CallClient;
  /** What the client was shown last, where that is known. */
  readonly shown?: Shown | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The way back to a client: the stream of one request, or the one that belongs to no request. */
export interface ClientChannel {
  /** Whether anything but the answer can be sent. */
  readonly canTell: boolean;
  /** Sends a message before the answer. Nobody there to hear it is no fault. */
  tell(text: string): void;
}

/** Puts a question of a tool to the client that made the call, and to no other. */
export type Ask = (method: string, params: JsonObject, asking: QuestionOptions | undefined) => Promise<JsonObject>;

/** The client of a call as the pipeline sees it. Answers are checked there. */
export function callerClient(
  identity: object,
  { form, url, sample, roots }: ClientFeatures,
  ask: Ask,
  log: ((message: LogMessage) => void) | undefined,
): CallClient {
  return {
    identity,
    ...(form || url
      ? { elicit: (request: Elicitation, asking: QuestionOptions) => elicit(request, asking, { form, url }, ask) }
      : {}),
    ...(sample
      ? {
          sample: async (request: JsonObject, asking: QuestionOptions) =>
            (await ask('sampling/createMessage', request, asking)) as SamplingAnswer,
        }
      : {}),
    ...(roots ? { roots: async (asking?: QuestionOptions) => rootsOf(await ask('roots/list', {}, asking)) } : {}),
    ...(log === undefined ? {} : { log }),
  };
}

async function elicit(
  request: Elicitation,
  asking: QuestionOptions,
  abilities: Pick<ClientFeatures, 'form' | 'url'>,
  ask: Ask,
): Promise<ElicitationAnswer> {
  if (!abilities[request.mode])
    throw new Error(
      request.mode === 'url' ? 'the client cannot send its user to a page' : 'the client cannot show its user a form',
    );
  return (await ask('elicitation/create', { ...request }, asking)) as ElicitationAnswer;
}

function rootsOf({ roots }: JsonObject): CallRoot[] {
  if (!Array.isArray(roots)) throw new Error('the client did not say which directories it works in');
  return roots.flatMap((root): CallRoot[] => {
    if (!isJsonObject(root) || typeof root['uri'] !== 'string') return [];
    const { uri, name } = root;
    return [{ uri, ...(typeof name === 'string' ? { name } : {}) }];
  });
}
