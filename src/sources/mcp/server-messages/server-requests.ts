import type { ClientCapabilities, JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { checkedElicitation, checkedSample } from '../../../catalog/schema/client-answers.ts';
import type {
  QuestionOptions,
  Elicitation,
  LogMessage,
  CallRoot,
  SamplingRequest,
} from '../../../core/calls/call-client.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { raceAbort } from '../../../core/async/light-abort-signal.ts';
import { type MessageTarget, type RunningCall, RunningCalls } from './running-calls.ts';
import { RemoteError } from '../connection/connection-errors.ts';
import { parseElicitation, parseLogMessage, parseSamplingRequest } from './parse-server-messages.ts';

/** Answers what a server asks its client for. */
export type AnswerRequest = (params: JsonObject, asking: QuestionOptions) => JsonObject | Promise<JsonObject>;

/** Who answers a server where the caller cannot, or where there is no call. */
export interface ServerRequestOptions {
  /** The directories it is told of when it asks. */
  readonly roots?: readonly CallRoot[];
  /** Asks the user something, for the server. */
  readonly onElicit?: AnswerRequest;
  /** Asks a model something, for the server. */
  readonly onSample?: AnswerRequest;
}

/** What one connection needs to answer. */
export interface AnsweringOptions {
  roots(): readonly CallRoot[];
  readonly onElicit: AnswerRequest | undefined;
  readonly onSample: AnswerRequest | undefined;
  /** Takes a message that is for no call, or for one whose caller does not want it. */
  onLog(message: LogMessage): void;
}

/**
 * What the older revisions are told at the handshake: what can be relayed. Whether the caller of a call can answer is not known
 * then; a question that nobody can answer gets an error. The 2026 revision is told with each call what its caller can do.
 */
export const clientCapabilities: ClientCapabilities = {
  roots: { listChanged: true },
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
};

const questions = new Set(['roots/list', 'elicitation/create', 'sampling/createMessage']);

/** Brings what a server asks and tells to whoever made the call that it belongs to. */
export class ServerRequests {
  readonly runningCalls = new RunningCalls();
  readonly #options: AnsweringOptions;
  readonly #transport: Pick<Transport, 'send'>;
  readonly #open = new Map<string | number, AbortController>();

  constructor(options: AnsweringOptions, transport: Pick<Transport, 'send'>) {
    this.#options = options;
    this.#transport = transport;
  }

  /** Takes a message of the server, if it is one of these. `known`: the call on whose own stream it came. */
  handle(message: JSONRPCMessage, known: RunningCall | undefined): boolean {
    if (!('method' in message)) return false;
    const params = isJsonObject(message.params) ? message.params : {};
    if ('id' in message) {
      if (!questions.has(message.method)) return false;
      void this.#reply(message.id, message.method, params, known);
      return true;
    }
    if (message.method === 'notifications/message') {
      this.#log(params, known);
      return true;
    }
    return message.method === 'notifications/cancelled' && this.#withdraw(params['requestId']);
  }

  /** Answers one question, from the caller it is for or from whoever stands in. */
  async answer(
    method: string,
    params: JsonObject,
    addressee: MessageTarget,
    asking: QuestionOptions,
  ): Promise<JsonObject> {
    if (method === 'roots/list') return { roots: (await this.#roots(addressee, asking)).map((root) => ({ ...root })) };
    if (addressee.problem !== undefined)
      throw new RemoteError(-32_603, `${method} cannot be answered: ${addressee.problem}`);
    const releases = addressee.calls.map(({ client }) => client?.hold());
    try {
      if (method === 'elicitation/create')
        return { ...(await this.#elicit(parseElicitation(params), params, addressee.calls, asking)) };
      if (method === 'sampling/createMessage')
        return await this.#sample(parseSamplingRequest(params), addressee.calls, asking);
    } finally {
      for (const release of releases) release?.();
    }
    throw nobody(method);
  }

  /** Ends every question: the server is gone. */
  close(): void {
    for (const question of this.#open.values()) question.abort(new Error('the connection to the server is gone'));
    this.#open.clear();
  }

  async #reply(id: string | number, method: string, params: JsonObject, known: RunningCall | undefined): Promise<void> {
    const addressee = this.runningCalls.targetOf(known);
    const question = new AbortController();
    this.#open.set(id, question);
    const calls = addressee.calls ?? [];
    const endWithCalls = (): void => {
      if (calls.every(({ isOver }) => isOver)) question.abort(new Error('the call is over'));
    };
    for (const call of calls) call.onOver(endWithCalls);
    let reply: object;
    try {
      reply = { result: await this.answer(method, params, addressee, { signal: question.signal }) };
    } catch (error) {
      reply = { error: { code: error instanceof RemoteError ? error.code : -32_603, message: messageOf(error) } };
    }
    // Withdrawn by the server, or nobody there any more to reply to.
    if (!this.#open.delete(id)) return;
    await this.#transport.send({ jsonrpc: '2.0', id, ...reply } as JSONRPCMessage).catch(() => undefined);
  }

  #withdraw(id: unknown): boolean {
    if (typeof id !== 'string' && typeof id !== 'number') return false;
    const question = this.#open.get(id);
    this.#open.delete(id);
    question?.abort(new Error('the server withdrew its question'));
    return question !== undefined;
  }

  async #roots(addressee: MessageTarget, asking: QuestionOptions): Promise<readonly CallRoot[]> {
    // Whose call it is may be unclear; the directories that the operator gave are no secret of another caller.
    const roots = addressee.calls?.[0]?.client?.roots;
    return roots === undefined ? this.#options.roots() : await roots(asking);
  }

  async #elicit(
    request: Elicitation,
    params: JsonObject,
    [call]: readonly RunningCall[],
    asking: QuestionOptions,
  ): Promise<JsonObject> {
    const elicit = call?.client?.elicit;
    if (elicit !== undefined) return await elicit(request, asking);
    const { onElicit } = this.#options;
    if (onElicit === undefined) throw nobody('elicitation/create');
    return checkedElicitation(request, await raceAbort(() => onElicit(params, asking), asking.signal));
  }

  async #sample(
    request: SamplingRequest,
    [call]: readonly RunningCall[],
    asking: QuestionOptions,
  ): Promise<JsonObject> {
    const sample = call?.client?.sample;
    if (sample !== undefined) return await sample(request, asking);
    const { onSample } = this.#options;
    if (onSample === undefined) throw nobody('sampling/createMessage');
    return checkedSample(await raceAbort(() => onSample(request, asking), asking.signal));
  }

  #log(params: JsonObject, known: RunningCall | undefined): void {
    const message = parseLogMessage(params);
    // All are of one client; not all of its calls need be such that it hears of messages.
    const log = this.runningCalls.targetOf(known).calls?.find(({ client }) => client?.log !== undefined)?.client?.log;
    if (log === undefined) this.#options.onLog(message);
    else log(message);
  }
}

function nobody(method: string): RemoteError {
  return new RemoteError(-32_601, `nobody can answer ${method}: whoever made the call cannot, and nobody stands in`);
}
