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
import type { CallOptions, Progress } from '../../../core/calls/call.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import type { Principal } from '../../../core/principal.ts';
import type { ShownTools, CatalogView } from '../listing/catalog-view.ts';
import type { ClientFeatures, ClientName } from '../protocol/client-info.ts';
import { approvalFor } from './client-approval.ts';

/** The authenticated party at the other end of a connection. */
export interface Peer {
  /** Always an agent: a person may hold the token, but calls over MCP are made by a program. */
  readonly principal: Principal;
  readonly view: CatalogView;
  /** Returns the principal of a client by its reported name, for a connection that several clients share. */
  readonly principalOf?: ((client: ClientName) => Principal) | undefined;
}

/** The path of messages to a client: the stream of one request, or the one for messages without a request. */
export interface ClientChannel {
  /** Whether messages other than the response can be sent. */
  readonly canSend: boolean;
  /** Sends a message before the response. Does nothing when the client is gone. */
  send(text: string): void;
}

/** The fields of a new `RequestContext`. */
interface RequestContextInit extends Pick<
  RequestContext,
  'isModern' | 'principal' | 'view' | 'session' | 'signal' | 'waitMs' | 'onProgress'
> {
  /** The tools that the client was shown last; absent where that is unknown. */
  readonly shown?: ShownTools | undefined;
  createClient(): CallClient;
}

/** A request while it is served: its caller, as the options of every call and read that it leads to. */
export class RequestContext implements CallOptions {
  /** Whether the request is of revision 2026-07-28. */
  readonly isModern: boolean;
  readonly principal: Principal;
  readonly view: CatalogView;
  readonly session: string;
  readonly signal: AbortSignalLike;
  /** The time for which a call waits for a human before it ends as `awaiting-approval`. */
  readonly waitMs: number;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** The definition that the client was shown of the tool it calls. */
  definitionHash: string | undefined;
  readonly #init: RequestContextInit;
  #client: CallClient | undefined;

  constructor(init: RequestContextInit) {
    this.#init = init;
    this.isModern = init.isModern;
    this.principal = init.principal;
    this.view = init.view;
    this.session = init.session;
    this.signal = init.signal;
    this.waitMs = init.waitMs;
    this.onProgress = init.onProgress;
  }

  get profile(): string | undefined {
    return this.view.profile;
  }

  /** Created on first use, because most tools never ask their client anything. */
  get client(): CallClient {
    return (this.#client ??= this.#init.createClient());
  }

  get approve(): CallOptions['approve'] {
    return approvalFor(this);
  }

  get nameOf(): CallOptions['nameOf'] {
    const { tools } = this.view.listing;
    return ({ server, tool }) => {
      for (const [name, { id }] of tools) if (id.server === server && id.tool === tool) return name;
      return undefined;
    };
  }

  /** Binds the call to the definition of a tool that the client was shown. */
  pinTo(tool: string): void {
    this.definitionHash = this.#init.shown?.tools.get(tool)?.definitionHash;
  }
}

/** Sends a request of a tool to the client that made the call, and to no other. */
export type AskClient = (
  method: string,
  params: JsonObject,
  asking: QuestionOptions | undefined,
) => Promise<JsonObject>;

/** Returns the client of a call in the form that the pipeline takes. The pipeline validates the answers. */
export function toCallClient(
  identity: object,
  { form, url, sample, roots }: ClientFeatures,
  ask: AskClient,
  log: ((message: LogMessage) => void) | undefined,
): CallClient {
  return {
    identity,
    ...(form || url
      ? {
          async elicit(request: Elicitation, asking: QuestionOptions) {
            if (request.mode === 'url' && !url) throw new Error('the client does not support elicitation by URL');
            if (request.mode === 'form' && !form) throw new Error('the client does not support elicitation by form');
            return (await ask('elicitation/create', { ...request }, asking)) as ElicitationAnswer;
          },
        }
      : {}),
    ...(sample
      ? {
          sample: async (request: JsonObject, asking: QuestionOptions) =>
            (await ask('sampling/createMessage', request, asking)) as SamplingAnswer,
        }
      : {}),
    ...(roots ? { roots: async (asking?: QuestionOptions) => parseRoots(await ask('roots/list', {}, asking)) } : {}),
    ...(log === undefined ? {} : { log }),
  };
}

function parseRoots({ roots }: JsonObject): CallRoot[] {
  if (!Array.isArray(roots)) throw new Error('the client returned no list of roots');
  return roots.flatMap((root): CallRoot[] => {
    if (!isJsonObject(root) || typeof root['uri'] !== 'string') return [];
    const { uri, name } = root;
    return [{ uri, ...(typeof name === 'string' ? { name } : {}) }];
  });
}
