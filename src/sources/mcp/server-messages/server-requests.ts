import type { ClientCapabilities, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { checkedElicitation, checkedSample } from '../../../catalog/schema/client-answers.ts';
import {
  type CallRoot,
  type Elicitation,
  type LogMessage,
  type QuestionOptions,
  type SamplingRequest,
  logLevels,
} from '../../../core/calls/call-client.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import { type MessageTarget, type UpstreamCall, UpstreamCalls } from './upstream-calls.ts';
import { RemoteError, isWebAddress } from '../connection/connection-errors.ts';

/** Answers a request of a server to its client. */
export type ServerRequestHandler = (params: JsonObject, asking: QuestionOptions) => JsonObject | Promise<JsonObject>;

/** Handlers for requests of a server that the caller cannot answer, or that come outside a call. */
export interface ServerRequestOptions {
  /** The roots that the server sees. */
  readonly roots?: readonly CallRoot[];
  /** Answers an elicitation. */
  readonly onElicit?: ServerRequestHandler;
  /** Answers a sampling request. */
  readonly onSample?: ServerRequestHandler;
}

/** The handlers of one connection. */
export interface AnsweringOptions {
  roots(): readonly CallRoot[];
  readonly onElicit: ServerRequestHandler | undefined;
  readonly onSample: ServerRequestHandler | undefined;
  /** Receives a log message that belongs to no call, or whose caller does not take log messages. */
  onLog(message: LogMessage): void;
}

/**
 * The capabilities that the handshake of the older revisions announces: everything that can be relayed. Whether the caller of a call can
 * answer is not known then, so a question that nobody can answer gets an error. Requests of the 2026 revision carry their caller's capabilities.
 */
export const clientCapabilities: ClientCapabilities = {
  roots: { listChanged: true },
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
};

const questionMethods = new Set(['roots/list', 'elicitation/create', 'sampling/createMessage']);

/** Routes requests and notifications of a server to the caller of the call that they belong to. */
export class ServerRequests {
  readonly calls = new UpstreamCalls();
  readonly #options: AnsweringOptions;
  readonly #transport: Pick<Transport, 'send'>;
  readonly #openQuestions = new Map<string | number, AbortController>();

  constructor(options: AnsweringOptions, transport: Pick<Transport, 'send'>) {
    this.#options = options;
    this.#transport = transport;
  }

  /** Handles a message of the server and returns whether it did. `known`: the call on whose stream it arrived. */
  handle(message: JSONRPCMessage, known: UpstreamCall | undefined): boolean {
    if (!('method' in message)) return false;
    const params = isJsonObject(message.params) ? message.params : {};
    if ('id' in message) {
      if (!questionMethods.has(message.method)) return false;
      void this.#reply(message.id, message.method, params, known);
      return true;
    }
    if (message.method === 'notifications/message') {
      this.#log(params, known);
      return true;
    }
    return message.method === 'notifications/cancelled' && this.#withdraw(params['requestId']);
  }

  /** Answers one question, by its caller or else by the configured handler. */
  async answer(
    method: string,
    params: JsonObject,
    target: MessageTarget,
    asking: QuestionOptions,
  ): Promise<JsonObject> {
    if (method === 'roots/list') return { roots: (await this.#roots(target, asking)).map((root) => ({ ...root })) };
    if (target.problem !== undefined) throw new RemoteError(-32_603, `${method} cannot be answered: ${target.problem}`);
    const releases = target.calls.map(({ client }) => client?.hold());
    try {
      if (method === 'elicitation/create')
        return { ...(await this.#elicit(parseElicitation(params), params, target.calls, asking)) };
      if (method === 'sampling/createMessage')
        return await this.#sample(parseSamplingRequest(params), target.calls, asking);
    } finally {
      for (const release of releases) release?.();
    }
    throw unanswerable(method);
  }

  /** Cancels all open questions, when the connection is closed. */
  close(): void {
    for (const question of this.#openQuestions.values())
      question.abort(new Error('the connection to the server was lost'));
    this.#openQuestions.clear();
  }

  async #reply(
    id: string | number,
    method: string,
    params: JsonObject,
    known: UpstreamCall | undefined,
  ): Promise<void> {
    const target = this.calls.targetOf(known);
    const question = new AbortController();
    this.#openQuestions.set(id, question);
    const calls = target.calls ?? [];
    const endWithCalls = (): void => {
      if (calls.every(({ isOver }) => isOver)) question.abort(new Error('the call has ended'));
    };
    for (const call of calls) call.onOver(endWithCalls);
    let reply: object;
    try {
      reply = { result: await this.answer(method, params, target, { signal: question.signal }) };
    } catch (error) {
      reply = { error: { code: error instanceof RemoteError ? error.code : -32_603, message: messageOf(error) } };
    }
    // The server withdrew the question, or the connection is closed.
    if (!this.#openQuestions.delete(id)) return;
    await this.#transport.send({ jsonrpc: '2.0', id, ...reply } as JSONRPCMessage).catch(() => undefined);
  }

  #withdraw(id: unknown): boolean {
    if (typeof id !== 'string' && typeof id !== 'number') return false;
    const question = this.#openQuestions.get(id);
    this.#openQuestions.delete(id);
    question?.abort(new Error('the server withdrew its question'));
    return question !== undefined;
  }

  async #roots(target: MessageTarget, asking: QuestionOptions): Promise<readonly CallRoot[]> {
    // The call may be ambiguous, but the configured roots are not a secret of another caller.
    const roots = target.calls?.[0]?.client?.roots;
    return roots === undefined ? this.#options.roots() : await roots(asking);
  }

  async #elicit(
    request: Elicitation,
    params: JsonObject,
    [call]: readonly UpstreamCall[],
    asking: QuestionOptions,
  ): Promise<JsonObject> {
    const elicit = call?.client?.elicit;
    if (elicit !== undefined) return await elicit(request, asking);
    const { onElicit } = this.#options;
    if (onElicit === undefined) throw unanswerable('elicitation/create');
    return checkedElicitation(request, await raceAbort(() => onElicit(params, asking), asking.signal));
  }

  async #sample(
    request: SamplingRequest,
    [call]: readonly UpstreamCall[],
    asking: QuestionOptions,
  ): Promise<JsonObject> {
    const sample = call?.client?.sample;
    if (sample !== undefined) return await sample(request, asking);
    const { onSample } = this.#options;
    if (onSample === undefined) throw unanswerable('sampling/createMessage');
    return checkedSample(await raceAbort(() => onSample(request, asking), asking.signal));
  }

  #log(params: JsonObject, known: UpstreamCall | undefined): void {
    const message = parseLogMessage(params);
    // All calls are of one client, but not each of them takes log messages.
    const log = this.calls.targetOf(known).calls?.find(({ client }) => client?.log !== undefined)?.client?.log;
    if (log === undefined) this.#options.onLog(message);
    else log(message);
  }
}

function unanswerable(method: string): RemoteError {
  return new RemoteError(-32_601, `nobody can answer ${method}: the caller cannot, and no handler is configured`);
}

/** Parses the parameters of an elicitation. Throws a `RemoteError` when they are malformed. */
function parseElicitation(params: JsonObject): Elicitation {
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params;
  if (typeof message !== 'string') throw malformed('elicitation/create', 'message');
  if (mode === 'url') {
    if (!isWebAddress(url)) throw malformed('elicitation/create', 'url');
    return { mode, message, url, ...(typeof elicitationId === 'string' ? { elicitationId } : {}) };
  }
  if (mode !== 'form') throw malformed('elicitation/create', 'mode');
  if (!isJsonObject(requestedSchema)) throw malformed('elicitation/create', 'requestedSchema');
  return { mode, message, requestedSchema };
}

/** Parses the parameters of a sampling request. Throws a `RemoteError` when they are malformed. */
function parseSamplingRequest(params: JsonObject): SamplingRequest {
  if (!Array.isArray(params['messages'])) throw malformed('sampling/createMessage', 'messages');
  if (typeof params['maxTokens'] !== 'number') throw malformed('sampling/createMessage', 'maxTokens');
  return params as SamplingRequest;
}

/** Parses a log message. An unknown level becomes `info`. */
function parseLogMessage({ level, logger, data = null }: JsonObject): LogMessage {
  return {
    level: logLevels.find((each) => each === level) ?? 'info',
    ...(typeof logger === 'string' ? { logger } : {}),
    data,
  };
}

function malformed(method: string, part: string): RemoteError {
  return new RemoteError(-32_602, `${method} has no usable "${part}"`);
}
