import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { minimalValue } from './minimal-arguments.ts';

/** A connection that carries JSON-RPC messages in both directions. */
export interface RpcLink {
  /** Called with every message of the server. Set before the first `send`. */
  onMessage: (message: JsonObject) => void;
  /** Called once, when the connection is lost. */
  onClose: (reason: Error) => void;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** The response to a request, exactly as received. */
export type RpcReply = { readonly result: JsonObject } | { readonly error: JsonObject };

interface Pending {
  resolve(reply: RpcReply): void;
  reject(reason: Error): void;
}

/** All capabilities, because servers hide tools from clients with fewer ones. */
const capabilities = {
  roots: { listChanged: true },
  sampling: { tools: {}, context: {} },
  elicitation: { form: {}, url: {} },
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
};

/** The time budget of one client for all its requests; after that each request gets one second. */
const maxClientMs = 150_000;

/**
 * A client without an SDK. It only parses JSON and returns every response unchanged, so that fields that a library would drop can be
 * compared.
 */
export class RpcClient {
  readonly #link: RpcLink;
  readonly #roots: readonly JsonObject[];
  readonly #pending = new Map<JsonValue, Pending>();
  readonly #deadline = Date.now() + maxClientMs;
  #lost: Error | undefined;
  #lastId = 0;

  constructor(link: RpcLink, roots: readonly JsonObject[] = []) {
    this.#link = link;
    this.#roots = roots;
    link.onMessage = (message) => this.#receive(message);
    link.onClose = (reason) => {
      this.#lost = reason;
      for (const { reject } of this.#pending.values()) reject(reason);
      this.#pending.clear();
    };
  }

  /** Initializes the connection in the newest revision with sessions, and returns the initialize result. */
  async initialize(timeoutMs: number): Promise<JsonObject> {
    const reply = await this.request(
      'initialize',
      { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'signalbox-field', version: '1.0.0' } },
      timeoutMs,
    );
    if ('error' in reply) throw new Error(`initialize was refused: ${JSON.stringify(reply.error)}`);
    await this.#link.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return reply.result;
  }

  /** Sends a request. Rejects when the connection is lost, or the response takes longer than `timeoutMs`. */
  async request(method: string, params: JsonObject, timeoutMs: number): Promise<RpcReply> {
    if (this.#lost !== undefined) throw this.#lost;
    const id = (this.#lastId += 1);
    const { promise, resolve, reject } = Promise.withResolvers<RpcReply>();
    this.#pending.set(id, { resolve, reject });
    const ms = Math.min(timeoutMs, Math.max(1000, this.#deadline - Date.now()));
    const timer = setTimeout(() => reject(new Error(`no response to ${method} within ${ms / 1000} s`)), ms);
    try {
      await Promise.all([this.#link.send({ jsonrpc: '2.0', id, method, params }), promise]);
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#pending.delete(id);
    }
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  #receive(message: JsonObject): void {
    const { id, method, result, error } = message;
    if (typeof method === 'string') {
      if (id !== undefined) this.#answer(id, method, isJsonObject(message['params']) ? message['params'] : {});
      return;
    }
    if (id === undefined) return;
    if (isJsonObject(error)) this.#pending.get(id)?.resolve({ error });
    else this.#pending.get(id)?.resolve({ result: isJsonObject(result) ? result : {} });
  }

  /** Answers a request of the server with a fixed response. */
  #answer(id: JsonValue, method: string, params: JsonObject): void {
    const results: Record<string, () => JsonObject> = {
      ping: () => ({}),
      'roots/list': () => ({ roots: this.#roots }),
      'elicitation/create': () => ({
        action: 'accept',
        ...(params['mode'] === 'url' ? {} : { content: minimalValue(params['requestedSchema'] ?? {}) }),
      }),
      'sampling/createMessage': () => ({
        role: 'assistant',
        model: 'field',
        content: { type: 'text', text: 'A sampled answer.' },
        stopReason: 'endTurn',
      }),
    };
    const result = results[method]?.();
    const answer =
      result === undefined ? { error: { code: -32601, message: `${method} is not supported` } } : { result };
    this.#link.send({ jsonrpc: '2.0', id, ...answer }).catch(() => undefined);
  }
}
