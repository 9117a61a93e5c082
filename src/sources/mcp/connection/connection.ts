import type { Client } from '@modelcontextprotocol/client';
import { CapabilityMissingError } from '../../../core/tools/source-errors.ts';
import type { LogLevel } from '../../../core/calls/call-client.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import { metaKeys } from '../../../core/mcp-protocol.ts';
import { type AbortSignalLike, toAbortSignal, raceAbort } from '../../../core/async/light-abort-signal.ts';
import type { RunningCall, RunningCallContext } from '../server-messages/running-calls.ts';
import { RemoteError } from './connection-errors.ts';
import { RequestEnvelopes } from './request-envelopes.ts';
import type { ConnectOptions, ServerLink } from './server-link.ts';
import { type ConnectedServer, connect } from './connect.ts';
import type { RequestOptions } from './rpc-channel.ts';
import { listFilter, listen } from './change-subscription.ts';
import { protocolVersionKey } from './protocol-version-cache.ts';

/** What a server lists, and how it is asked for it. */
const lists = {
  tools: { method: 'tools/list', capability: 'tools' },
  resources: { method: 'resources/list', capability: 'resources' },
  resourceTemplates: { method: 'resources/templates/list', capability: 'resources' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
} as const;

/** What a server lists. */
export type ListName = keyof typeof lists;

/** What the server said about itself. */
export interface ServerFacts {
  readonly protocolVersion: string;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
}

/** What a connection needs besides the handshake. */
export interface ConnectionOptions extends ConnectOptions {
  /** From which importance on the server is to log; as it likes when absent. */
  readonly logLevel: LogLevel | undefined;
}

/** A request that somebody waits for. */
export interface CallerOptions extends Omit<RequestOptions, 'caller' | 'envelope'> {
  readonly signal: AbortSignalLike;
  /** Who waits, to be asked and told what the server wants meanwhile. */
  readonly context: RunningCallContext;
}

const listRequestMs = 60_000;
const mostPages = 1000;
const answerWithinMs = 5000;
const mostRounds = 10;

/** A server that has answered, until it does not any more. */
export class Connection {
  readonly facts: ServerFacts;
  /** Told once when the connection is gone, unless it was closed. */
  onLost: ((reason: string, cause?: unknown) => void) | undefined;

  readonly #options: ConnectionOptions;
  readonly #way: ServerLink;
  readonly #lane: ServerLink['channel'];
  readonly #capabilities: JsonObject;
  readonly #requests: ConnectedServer['requests'];
  readonly #isModern: boolean;
  readonly #envelopes: RequestEnvelopes;
  #client: Promise<Client> | undefined;
  #isOver = false;
  #checking: Promise<void> | undefined;

  /** Connects: starts a program, or goes to an address. */
  static async open(options: ConnectionOptions): Promise<Connection> {
    return new Connection(options, await connect(options));
  }

  constructor(options: ConnectionOptions, { link, initializeResult, requests }: ConnectedServer) {
    const { channel } = link;
    const { isModern, capabilities, discovered: _, ...facts } = initializeResult;
    this.#options = options;
    this.#way = link;
    this.#lane = channel;
    this.#requests = requests;
    this.#isModern = isModern;
    this.#capabilities = capabilities;
    this.facts = facts;
    this.#envelopes = new RequestEnvelopes({ ...options, protocolVersion: this.facts.protocolVersion });
    if (this.#isModern) channel.envelope = this.#envelopes.for(undefined);
    else if (options.logLevel !== undefined) void this.setLogLevel(options.logLevel).catch(() => undefined);
    channel.onLost = (reason, cause) => this.#end(reason, cause);
    channel.onTransportError = (error) => this.#trouble(error);
    if (this.#isModern) this.#listenToLists();
  }

  get isOver(): boolean {
    return this.#isOver || this.#lane.isLost;
  }

  /** Whether arguments go along as headers where schemas mark them: in the 2026 revision, over HTTP. */
  get sendsHeaders(): boolean {
    return this.#isModern && !this.#lane.isStdio;
  }

  /** Everything a list has, page after page, to an end that `onCut` is told of. A server without such a list has an empty one. */
  async list(list: ListName, onCut?: (notice: string) => void): Promise<JsonValue[]> {
    const { method, capability } = lists[list];
    if (this.#capabilities[capability] === undefined) return [];
    let items: JsonValue[] = [];
    const seen = new Set<JsonValue>();
    for (let cursor: JsonValue | undefined; seen.size < mostPages;) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const page = await this.#lane.request(method, params, { timeoutMs: listRequestMs });
      if (this.#isModern && page['resultType'] === undefined)
        throw new RemoteError(-32_603, `it does not speak ${this.facts.protocolVersion} any more`);
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

  /** Calls a tool by the server's own name for it, answering what the server asks for in between. */
  callTool(name: string, args: JsonObject, options: CallerOptions): Promise<JsonObject> {
    return this.request('tools/call', { name, arguments: args }, options);
  }

  /** Makes a request for somebody who is asked and told what the server asks and tells meanwhile. */
  request(method: string, given: JsonObject, options: CallerOptions): Promise<JsonObject> {
    const { context, signal, onProgress, headers } = options;
    const caller = this.#requests.runningCalls.begin(context);
    const passed = {
      signal,
      caller,
      onProgress,
      envelope: this.#isModern ? this.#envelopes.for(caller.client) : undefined,
      headers: this.#isModern ? headers : undefined,
    };
    const end = (): void => this.#requests.runningCalls.end(caller, !signal.aborted);
    const succeed = (result: JsonObject): JsonObject => {
      end();
      return withoutServerInfo(result);
    };
    const fail = (error: unknown): never => {
      end();
      throw capabilityMissing(error) ?? error;
    };
    return this.#lane.request(method, given, passed).then((result) => {
      if (result['resultType'] === 'input_required')
        return this.#rounds(method, given, passed, result).then(succeed, fail);
      return succeed(result);
    }, fail);
  }

  /** Answers what the server asks for, until it needs nothing more. */
  async #rounds(
    method: string,
    given: JsonObject,
    passed: RequestOptions & { readonly caller: RunningCall; readonly signal: AbortSignalLike },
    first: JsonObject,
  ): Promise<JsonObject> {
    let result = first;
    for (let round = 1; round < mostRounds; round += 1) {
      const params = { ...given, ...(await this.#inputsFor(result, passed.caller, passed.signal)) };
      result = await this.#lane.request(method, params, passed);
      if (result['resultType'] !== 'input_required') return result;
    }
    throw new RemoteError(-32_603, `the server still wanted input after ${mostRounds} rounds`);
  }

  /** Wants to be told when a resource changes, until what it returns is called. */
  async subscribe(uri: string): Promise<() => Promise<void>> {
    if (this.#isModern) {
      const listening = listen(this.#listener, { resourceSubscriptions: [uri] }, () => this.#isOver);
      await listening.ready;
      return () => listening.stop();
    }
    await this.#lane.request('resources/subscribe', { uri }, { timeoutMs: listRequestMs });
    return async () => {
      await this.#lane.request('resources/unsubscribe', { uri }, { timeoutMs: listRequestMs });
    };
  }

  /** Tells the server from which importance on to log. In the 2026 revision each call says so itself. */
  async setLogLevel(level: LogLevel): Promise<void> {
    if (this.#isModern || this.#capabilities['logging'] === undefined) return;
    await this.#lane.request('logging/setLevel', { level }, { timeoutMs: answerWithinMs });
  }

  /** Tells the server that the directories are others now. In the 2026 revision it asks when it needs them. */
  async rootsChanged(): Promise<void> {
    if (!this.#isModern) await this.#lane.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  }

  /** Finds out whether the server still answers; when it does not, the connection is lost. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  /** The next connection finds out anew what the server speaks. */
  async forgetVerdict(): Promise<void> {
    await this.#options.protocolVersions.set(protocolVersionKey(this.#options.transport), undefined);
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#requests.close();
    this.#lane.lose('the connection was closed');
    await this.#lane.close();
  }

  async #check(): Promise<void> {
    try {
      const method = this.#isModern ? 'server/discover' : 'ping';
      await this.#lane.request(method, {}, { timeoutMs: answerWithinMs });
    } catch (error) {
      // An error is an answer, too.
      if (!(error instanceof RemoteError)) this.#lose(`it does not answer any more: ${messageOf(error)}`, error);
    }
  }

  #trouble(error: Error): void {
    if (this.#isOver) return;
    if (this.#way.isBroken(error)) this.#lose(`the event stream broke: ${error.message}`, error);
    else if (!this.#lane.isStdio) void this.check();
  }

  #lose(reason: string, cause: unknown): void {
    this.#lane.lose(reason, cause);
  }

  #end(reason: string, cause: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#requests.close();
    this.onLost?.(reason, cause);
  }

  async #inputsFor(result: JsonObject, caller: RunningCall, given: AbortSignalLike): Promise<JsonObject> {
    const signal = toAbortSignal(given);
    // All at once: whoever is asked can answer them together.
    const asked = Object.entries((result['inputRequests'] ?? {}) as JsonObject).map(async ([key, request]) => {
      const { method, params } = request as { method: string; params?: JsonObject };
      const answer = this.#requests.answer(method, params ?? {}, { calls: [caller] }, { signal, key });
      return [key, await answer] as const;
    });
    const inputResponses: JsonObject = Object.fromEntries(await raceAbort(() => Promise.all(asked), signal));
    const requestState = result['requestState'];
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  readonly #listener = (): Promise<Client> => (this.#client ??= this.#way.client());

  #listenToLists(): void {
    const filter = listFilter(this.#capabilities);
    // It may not serve the request although it announced it: then the lists stay as they were found.
    if (filter !== undefined) listen(this.#listener, filter, () => this.#isOver).ready.catch(() => undefined);
  }
}

/** By this error of the 2026 revision a server says what its caller would have to be able to do. */
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
