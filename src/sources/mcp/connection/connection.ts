import type { Client } from '@modelcontextprotocol/client';
import { CapabilityMissingError } from '../../../core/tools/source-errors.ts';
import type { LogLevel } from '../../../core/calls/call-client.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys } from '../../../core/mcp-protocol.ts';
import { type AbortSignalLike, toAbortSignal, raceAbort } from '../../../core/async/light-abort-signal.ts';
import type { UpstreamCall, UpstreamCallContext } from '../server-messages/upstream-calls.ts';
import { RemoteError } from './connection-errors.ts';
import { RequestEnvelopes } from './request-envelopes.ts';
import type { ConnectionOptions, McpServerInfo, ServerLink } from './server-link.ts';
import { type ConnectedServer, connect } from './connect.ts';
import type { RequestOptions } from './rpc-channel.ts';
import { type ChangeFilter, type ChangeSubscription, listFilter, subscribeToChanges } from './change-subscription.ts';
import { protocolVersionKey } from './protocol-version-cache.ts';

/** The lists of a server: the request for each, and the capability that announces it. */
const lists = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
} as const;

/** The name of a list of a server. */
export type ServerListName = keyof typeof lists;

/** Options of a request on behalf of a caller. */
export interface CallerOptions extends Omit<RequestOptions, 'caller' | 'envelope'> {
  readonly signal: AbortSignalLike;
  /** The caller, who receives the server's questions and notifications meanwhile. */
  readonly context: UpstreamCallContext;
}

const listTimeoutMs = 60_000;
const maxPages = 1000;
const pingTimeoutMs = 5000;
const maxInputRounds = 10;

/** A connection to a server, from the handshake until it is closed or lost. */
export class Connection {
  readonly facts: McpServerInfo;
  /** Called once, when the connection is lost without `close`. */
  onLost: ((reason: string, cause?: unknown) => void) | undefined;

  readonly #options: ConnectionOptions;
  readonly #link: ServerLink;
  readonly #channel: ServerLink['channel'];
  readonly #capabilities: JsonObject;
  readonly #requests: ConnectedServer['requests'];
  readonly #isModern: boolean;
  readonly #envelopes: RequestEnvelopes;
  #client: Promise<Client> | undefined;
  #isOver = false;
  #checking: Promise<void> | undefined;

  /** Connects to a server: starts its program, or opens its URL. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    return new Connection(options, await connect(options));
  }

  constructor(options: ConnectionOptions, { link, initializeResult, requests }: ConnectedServer) {
    const { channel } = link;
    const { isModern, capabilities, discovered: _, ...facts } = initializeResult;
    this.#options = options;
    this.#link = link;
    this.#channel = channel;
    this.#requests = requests;
    this.#isModern = isModern;
    this.#capabilities = capabilities;
    this.facts = facts;
    this.#envelopes = new RequestEnvelopes(options, this.facts.protocolVersion);
    if (isModern) channel.envelope = this.#envelopes.for(undefined);
    else if (options.logLevel !== undefined) void this.setLogLevel(options.logLevel).catch(() => undefined);
    channel.onLost = (reason, cause) => this.#handleLoss(reason, cause);
    channel.onTransportError = (error) => this.#handleTransportError(error);
    if (isModern) this.#subscribeToLists();
  }

  get isOver(): boolean {
    return this.#isOver || this.#channel.isLost;
  }

  /** Whether arguments that schemas mark are also sent as headers: in the 2026 revision, over HTTP. */
  get sendsHeaders(): boolean {
    return this.#isModern && !this.#channel.isStdio;
  }

  /** Returns all entries of a list, page by page. Calls `onCut` when the list does not end. A server without the capability has an empty list. */
  async list(list: ServerListName, onCut?: (notice: string) => void): Promise<JsonValue[]> {
    const { method, capability } = lists[list];
    if (this.#capabilities[capability] === undefined) return [];
    let items: JsonValue[] = [];
    const seen = new Set<JsonValue>();
    for (let cursor: JsonValue | undefined; seen.size < maxPages;) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const page = await this.#channel.request(method, params, { timeoutMs: listTimeoutMs });
      if (this.#isModern && page['resultType'] === undefined)
        throw new RemoteError(-32_603, `it no longer supports ${this.facts.protocolVersion}`);
      const found = page[list];
      if (Array.isArray(found)) items = items.concat(found as readonly JsonValue[]);
      cursor = page['nextCursor'];
      if (typeof cursor !== 'string') return items;
      if (seen.has(cursor)) break;
      seen.add(cursor);
    }
    onCut?.(`its list ${method} did not end after ${seen.size} pages and was cut there, with ${items.length} entries`);
    return items;
  }

  /** Calls a tool by the server's own name. */
  callTool(name: string, args: JsonObject, options: CallerOptions): Promise<JsonObject> {
    return this.request('tools/call', { name, arguments: args }, options);
  }

  /** Sends a request on behalf of a caller. Questions and notifications of the server meanwhile go to that caller. */
  request(method: string, params: JsonObject, options: CallerOptions): Promise<JsonObject> {
    const { context, signal, onProgress, headers } = options;
    const caller = this.#requests.calls.begin(context);
    const requestOptions = {
      signal,
      caller,
      onProgress,
      envelope: this.#isModern ? this.#envelopes.for(caller.client) : undefined,
      headers: this.#isModern ? headers : undefined,
    };
    const end = (): void => this.#requests.calls.end(caller, !signal.aborted);
    const succeed = (result: JsonObject): JsonObject => {
      end();
      return withoutServerInfo(result);
    };
    const fail = (error: unknown): never => {
      end();
      throw capabilityMissing(error) ?? error;
    };
    return this.#channel.request(method, params, requestOptions).then((result) => {
      if (result['resultType'] === 'input_required')
        return this.#answerInputRequests(method, params, requestOptions, result).then(succeed, fail);
      return succeed(result);
    }, fail);
  }

  /** Answers `input_required` results and repeats the request until it completes. */
  async #answerInputRequests(
    method: string,
    params: JsonObject,
    requestOptions: RequestOptions & { readonly caller: UpstreamCall; readonly signal: AbortSignalLike },
    first: JsonObject,
  ): Promise<JsonObject> {
    let result = first;
    for (let round = 1; round < maxInputRounds; round += 1) {
      const inputs = await this.#inputsFor(result, requestOptions.caller, requestOptions.signal);
      result = await this.#channel.request(method, { ...params, ...inputs }, requestOptions);
      if (result['resultType'] !== 'input_required') return result;
    }
    throw new RemoteError(-32_603, `the server still requires input after ${maxInputRounds} rounds`);
  }

  /** Subscribes to changes of a resource. Returns the function that unsubscribes. */
  async subscribe(uri: string): Promise<() => Promise<void>> {
    if (this.#isModern) {
      const { ready, stop } = this.#subscribe({ resourceSubscriptions: [uri] });
      try {
        await ready;
      } catch (error) {
        await stop();
        throw error;
      }
      return stop;
    }
    await this.#channel.request('resources/subscribe', { uri }, { timeoutMs: listTimeoutMs });
    return async () => {
      await this.#channel.request('resources/unsubscribe', { uri }, { timeoutMs: listTimeoutMs });
    };
  }

  /** Sets the minimum level of the server's log messages. In the 2026 revision every request carries it. */
  async setLogLevel(level: LogLevel): Promise<void> {
    if (this.#isModern || this.#capabilities['logging'] === undefined) return;
    await this.#channel.request('logging/setLevel', { level }, { timeoutMs: pingTimeoutMs });
  }

  /** Notifies the server that the roots changed. A server of the 2026 revision asks for them when it needs them. */
  async rootsChanged(): Promise<void> {
    if (!this.#isModern) await this.#channel.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  }

  /** Sends a ping. The connection is lost when no response comes. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  /** Removes the server from the protocol version cache, so that the next connection probes again. */
  async forgetProtocolVersion(): Promise<void> {
    await this.#options.protocolVersions.set(protocolVersionKey(this.#options.transport), undefined);
  }

  /** Closes the connection. Resolves when the process or the sockets are closed. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#requests.close();
    this.#channel.lose('the connection was closed');
    await this.#channel.close();
  }

  async #check(): Promise<void> {
    try {
      const method = this.#isModern ? 'server/discover' : 'ping';
      await this.#channel.request(method, {}, { timeoutMs: pingTimeoutMs });
    } catch (error) {
      // An error response shows as well that the server is alive.
      if (!(error instanceof RemoteError)) this.#channel.lose(`it no longer responds: ${messageOf(error)}`, error);
    }
  }

  #handleTransportError(error: Error): void {
    if (this.#isOver) return;
    if (this.#link.isBroken(error)) this.#channel.lose(`the event stream broke: ${error.message}`, error);
    else if (!this.#channel.isStdio) void this.check();
  }

  #handleLoss(reason: string, cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#requests.close();
    this.onLost?.(reason, cause);
  }

  async #inputsFor(result: JsonObject, caller: UpstreamCall, given: AbortSignalLike): Promise<JsonObject> {
    const signal = toAbortSignal(given);
    // At the same time, so that the caller can answer them together.
    const answers = Object.entries((result['inputRequests'] ?? {}) as JsonObject).map(async ([key, request]) => {
      const { method, params } = request as { method: string; params?: JsonObject };
      const answer = this.#requests.answer(method, params ?? {}, { calls: [caller] }, { signal, key });
      return [key, await answer] as const;
    });
    const inputResponses: JsonObject = Object.fromEntries(await raceAbort(() => Promise.all(answers), signal));
    const requestState = result['requestState'];
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  #subscribe(filter: ChangeFilter): ChangeSubscription {
    const client = (): Promise<Client> => (this.#client ??= this.#link.client());
    return subscribeToChanges(client, filter, () => this.#isOver);
  }

  #subscribeToLists(): void {
    const filter = listFilter(this.#capabilities);
    // A server may refuse although it announced the capability; the lists then stay as they are.
    if (filter !== undefined) this.#subscribe(filter).ready.catch(() => undefined);
  }
}

/** Converts error -32021 of the 2026 revision, which names the capabilities that the caller lacks. */
function capabilityMissing(error: unknown): CapabilityMissingError | undefined {
  if (!(error instanceof RemoteError) || error.code !== -32_021) return undefined;
  const required = isJsonObject(error.data) ? error.data['requiredCapabilities'] : undefined;
  return new CapabilityMissingError(error.message, isJsonObject(required) ? required : {}, { cause: error });
}

function withoutServerInfo(result: JsonObject): JsonObject {
  const meta = result['_meta'];
  if (typeof meta !== 'object' || meta === null || !(metaKeys.serverInfo in meta)) return result;
  const { [metaKeys.serverInfo]: _, ...rest } = meta;
  if (Object.keys(rest).length > 0) return { ...result, _meta: rest };
  const { _meta, ...others } = result;
  return others;
}
