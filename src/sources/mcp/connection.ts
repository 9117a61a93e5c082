import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  type ClientCapabilities,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SseError,
} from '@modelcontextprotocol/client';
import { messageOf } from '../../model/errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { RemoteError } from './connection-errors.ts';
import { type Handshake, type HandshakeOptions, shakeHands } from './handshake.ts';
import type { RequestOptions } from './lane.ts';
import { type ServerRequestOptions, answer } from './server-requests.ts';
import { verdictKey } from './verdicts.ts';

/** What changed at a server. */
export type ListName = 'tools' | 'resources' | 'prompts';

/** What the server said about itself. */
export interface ServerFacts {
  readonly protocolVersion: string;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
}

/** What a connection needs besides the handshake. */
export interface ConnectionOptions extends Omit<HandshakeOptions, 'prepare'>, ServerRequestOptions {
  prepare(client: Client): void;
  onListChanged(list: ListName): void;
}

const listRequestMs = 60_000;
const mostPages = 1000;
const answerWithinMs = 5000;
const mostRounds = 10;

/** A server that has answered, until it does not any more. */
export class Connection {
  readonly facts: ServerFacts;
  /** Told once when the connection is gone, unless it was closed. */
  onLost: ((reason: string) => void) | undefined;

  readonly #options: ConnectionOptions;
  readonly #client: Client;
  readonly #lane: Handshake['lane'];
  readonly #isModern: boolean;
  #isOver = false;
  #checking: Promise<void> | undefined;

  static async open(options: ConnectionOptions): Promise<Connection> {
    const prepare = (client: Client): void => {
      options.prepare(client);
      for (const list of ['tools', 'resources', 'prompts'] as const)
        client.setNotificationHandler(`notifications/${list}/list_changed`, () => options.onListChanged(list));
    };
    return new Connection(options, await shakeHands({ ...options, prepare }));
  }

  constructor(options: ConnectionOptions, { client, lane }: Handshake) {
    this.#options = options;
    this.#client = client;
    this.#lane = lane;
    this.#isModern = client.getProtocolEra() === 'modern';
    const [serverInfo, instructions] = [client.getServerVersion(), client.getInstructions()];
    this.facts = {
      protocolVersion: client.getNegotiatedProtocolVersion() ?? 'unknown',
      ...(serverInfo === undefined ? {} : { serverInfo: serverInfo as JsonObject }),
      ...(instructions === undefined ? {} : { instructions }),
    };
    if (this.#isModern) lane.envelope = envelope(this.facts.protocolVersion, options);
    lane.onLost = (reason) => this.#end(reason);
    lane.onTrouble = (error) => this.#trouble(error);
    if (this.#isModern) void this.#listen();
  }

  get isOver(): boolean {
    return this.#isOver || this.#lane.isLost;
  }

  /** Everything a list has, page after page. A server without such a list has an empty one. */
  async list(list: ListName): Promise<JsonValue[]> {
    if (this.#client.getServerCapabilities()?.[list] === undefined) return [];
    let items: JsonValue[] = [];
    const seen = new Set<JsonValue>();
    for (let cursor: JsonValue | undefined; seen.size < mostPages;) {
      const params: JsonObject = cursor === undefined ? {} : { cursor };
      const page = await this.#lane.request(`${list}/list`, params, { timeoutMs: listRequestMs });
      if (this.#isModern && page['resultType'] === undefined)
        throw new RemoteError(-32_603, `it does not speak ${this.facts.protocolVersion} any more`);
      const found = page[list];
      if (Array.isArray(found)) items = items.concat(found as readonly JsonValue[]);
      cursor = page['nextCursor'];
      if (typeof cursor !== 'string' || seen.has(cursor)) break;
      seen.add(cursor);
    }
    return items;
  }

  /** Calls a tool by the server's own name for it, answering what the server asks for in between. */
  async callTool(name: string, args: JsonObject, options: RequestOptions): Promise<JsonObject> {
    let params: JsonObject = { name, arguments: args };
    for (let round = 0; round < mostRounds; round += 1) {
      const result = await this.#lane.request('tools/call', params, options);
      if (result['resultType'] !== 'input_required') return withoutServerInfo(result);
      params = { name, arguments: args, ...(await this.#inputsFor(result)) };
    }
    throw new RemoteError(-32_603, `the server still wanted input after ${mostRounds} rounds`);
  }

  /** Finds out whether the server still answers; when it does not, the connection is lost. */
  check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  /** The next connection finds out anew what the server speaks. */
  async forgetVerdict(): Promise<void> {
    await this.#options.verdicts.set(verdictKey(this.#options.transport), undefined);
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#lane.lose('the connection was closed');
    await this.#lane.close();
  }

  async #check(): Promise<void> {
    try {
      const method = this.#isModern ? 'server/discover' : 'ping';
      await this.#lane.request(method, {}, { timeoutMs: answerWithinMs });
    } catch (error) {
      // An error is an answer, too.
      if (!(error instanceof RemoteError)) this.#lose(`it does not answer any more: ${messageOf(error)}`);
    }
  }

  #trouble(error: Error): void {
    if (this.#isOver) return;
    // Its new stream would belong to a new session, which has not shaken hands.
    if (error instanceof SseError) this.#lose(`the event stream broke: ${error.message}`);
    else if (!this.#lane.tellsWhenSent) void this.check();
  }

  #lose(reason: string): void {
    this.#lane.lose(reason);
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.onLost?.(reason);
  }

  async #inputsFor(result: JsonObject): Promise<JsonObject> {
    const inputResponses: Record<string, JsonValue> = {};
    for (const [key, request] of Object.entries((result['inputRequests'] ?? {}) as JsonObject)) {
      const { method, params } = request as { method: string; params?: JsonObject };
      inputResponses[key] = await answer(method, params ?? {}, this.#options);
    }
    const requestState = result['requestState'];
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  /** In the 2026 revision changes are told only to those who listen. */
  async #listen(): Promise<void> {
    const capabilities = this.#client.getServerCapabilities();
    const filter = {
      ...(capabilities?.tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(capabilities?.resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(capabilities?.prompts?.listChanged === true ? { promptsListChanged: true } : {}),
    };
    if (Object.keys(filter).length === 0) return;
    for (let pause = 1000; !this.#isOver; pause = Math.min(pause * 2, 30_000)) {
      try {
        const { closed } = await this.#client.listen(filter);
        if ((await closed) === 'local') return;
      } catch {
        // It may not serve the request although it announced it: then the list stays as it was found.
      }
      await new Promise((resolve) => setTimeout(resolve, pause).unref());
    }
  }
}

function envelope(protocolVersion: string, options: ConnectionOptions): JsonObject {
  return {
    [PROTOCOL_VERSION_META_KEY]: protocolVersion,
    [CLIENT_INFO_META_KEY]: { name: 'signalbox', version: options.version },
    [CLIENT_CAPABILITIES_META_KEY]: options.capabilities as ClientCapabilities & JsonObject,
  };
}

function withoutServerInfo(result: JsonObject): JsonObject {
  const meta = result['_meta'];
  if (typeof meta !== 'object' || meta === null || !(SERVER_INFO_META_KEY in meta)) return result;
  const { [SERVER_INFO_META_KEY]: _, ...rest } = meta;
  return { ...result, _meta: rest };
}
