import type { Client, ClientCapabilities } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../model/json.ts';
import { RemoteError } from './connection-errors.ts';

/** Answers what a server asks its client for. */
export type AnswerRequest = (params: JsonObject) => JsonObject | Promise<JsonObject>;

/** What a server may ask for. What has no answer here is not offered to it. */
export interface ServerRequestOptions {
  /** The directories it is told of when it asks. */
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[];
  /** Asks the user something, for the server. */
  readonly onElicit?: AnswerRequest;
  /** Asks a model something, for the server. */
  readonly onSample?: AnswerRequest;
}

/** What the server is told that it may ask for. */
export function capabilitiesFor({ onElicit, onSample }: ServerRequestOptions): ClientCapabilities {
  return {
    roots: {},
    ...(onElicit === undefined ? {} : { elicitation: { form: {} } }),
    ...(onSample === undefined ? {} : { sampling: {} }),
  };
}

/** Answers a request of the server, whether it came on its own or inside a result. */
export async function answer(method: string, params: JsonObject, options: ServerRequestOptions): Promise<JsonObject> {
  if (method === 'roots/list') return { roots: (options.roots ?? []).map((root) => ({ ...root })) };
  if (method === 'elicitation/create' && options.onElicit !== undefined) return await options.onElicit(params);
  if (method === 'sampling/createMessage' && options.onSample !== undefined) return await options.onSample(params);
  throw new RemoteError(-32_601, `nobody here can answer ${method}: Signalbox did not offer it`);
}

/** Lets the client answer the server's own requests. */
export function answerRequests(client: Client, options: ServerRequestOptions): void {
  const params = (request: { readonly params?: unknown }): JsonObject => (request.params ?? {}) as JsonObject;
  client.setRequestHandler('roots/list', async (request) => {
    const { roots } = await answer('roots/list', params(request), options);
    return { roots: roots as { uri: string }[] };
  });
  // The SDK checks what these two return against the protocol.
  if (options.onElicit !== undefined)
    client.setRequestHandler(
      'elicitation/create',
      async (request) => (await answer('elicitation/create', params(request), options)) as { action: 'accept' },
    );
  if (options.onSample !== undefined)
    client.setRequestHandler(
      'sampling/createMessage',
      async (request) =>
        (await answer('sampling/createMessage', params(request), options)) as {
          model: string;
          role: 'assistant';
          content: { type: 'text'; text: string };
        },
    );
  client.fallbackRequestHandler = async (request) => await answer(request.method, params(request), options);
}
