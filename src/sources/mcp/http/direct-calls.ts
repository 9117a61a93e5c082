import type { IncomingMessage } from 'node:http';
import {
  type FetchLike,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type JsonObject, isJsonObject } from '../../../model/json.ts';
import { type GuardedFetch, readAnswer, responseOf } from './guarded-fetch.ts';

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** How calls go out. */
export interface DirectCallsOptions {
  readonly url: URL;
  /** The configured ones. */
  readonly headers: Readonly<Record<string, string>>;
  readonly guarded: GuardedFetch;
  readonly largestMessage: number;
}

/** What a header can carry as it is, and what does not look like something encoded. */
const plain = /^(?!=\?)[\x21-\x7e]+$/;
const json = /^application\/json\s*(;|$)/i;

/**
 * Sends calls of tools without the SDK's work on each of them, and takes their answers where those are a single JSON document.
 * Any other answer is handed to the SDK, as if it had asked itself: nothing is ever asked twice.
 */
export class DirectCalls {
  readonly #options: DirectCallsOptions;
  readonly #fixed: Readonly<Record<string, string>>;
  readonly #isPossible: boolean;
  /** Answers for the SDK, by the bodies that they answer. */
  readonly #answered = new Map<string, Response>();

  constructor(options: DirectCallsOptions) {
    this.#options = options;
    const configured = Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    this.#isPossible = configured.every(([name]) => name !== 'accept' && name !== 'content-type');
    this.#fixed = {
      ...Object.fromEntries(configured),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
  }

  /** The `fetch` for the SDK. */
  readonly fetch: FetchLike = (url, init) => {
    const body = typeof init?.body === 'string' ? init.body : '';
    const answer = this.#answered.get(body);
    if (answer === undefined) return this.#options.guarded.fetch(url, init);
    this.#answered.delete(body);
    return Promise.resolve(answer);
  };

  /** Lets calls past the SDK. */
  attach(transport: StreamableHTTPClientTransport): void {
    const bySdk = transport.send.bind(transport);
    transport.send = async (message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions) => {
      const headers = Array.isArray(message) ? undefined : this.#headersFor(message, options, transport);
      if (headers === undefined) return await bySdk(message, options);
      const body = JSON.stringify(message);
      let incoming: IncomingMessage;
      try {
        incoming = await this.#post(body, headers, options?.requestSignal);
        if (incoming.statusCode === 200 && json.test(incoming.headers['content-type'] ?? '')) {
          for (const each of await this.#messages(incoming)) transport.onmessage?.(each);
          // Whoever was not answered by now will not be.
          options?.onRequestStreamEnd?.();
          return;
        }
        this.#answered.set(body, await responseOf(incoming, this.#options.largestMessage));
      } catch (error) {
        if (options?.requestSignal?.aborted !== true && error instanceof Error) transport.onerror?.(error);
        throw error;
      }
      return await bySdk(message, options).finally(() => this.#answered.delete(body));
    };
  }

  /** The headers as the SDK makes them; none where it is left to the SDK. */
  #headersFor(
    message: JSONRPCMessage,
    options: SendOptions,
    transport: StreamableHTTPClientTransport,
  ): Record<string, string> | undefined {
    if (!this.#isPossible || !('method' in message) || message.method !== 'tools/call') return undefined;
    if (!('id' in message) || options?.headers !== undefined || options?.resumptionToken !== undefined)
      return undefined;
    const { sessionId, protocolVersion } = transport;
    const session = sessionId === undefined ? this.#fixed : { ...this.#fixed, 'mcp-session-id': sessionId };
    const { name, _meta } = (message.params ?? {}) as JsonObject;
    const version = isJsonObject(_meta) ? _meta[PROTOCOL_VERSION_META_KEY] : undefined;
    if (typeof version !== 'string')
      return protocolVersion === undefined ? { ...session } : { ...session, 'mcp-protocol-version': protocolVersion };
    if (typeof name !== 'string' || !plain.test(name)) return undefined;
    return { ...session, 'mcp-protocol-version': version, 'mcp-method': message.method, 'mcp-name': name };
  }

  #post(body: string, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<IncomingMessage> {
    headers['content-length'] = String(Buffer.byteLength(body));
    return this.#options.guarded.send(this.#options.url, { method: 'POST', headers, body, signal });
  }

  async #messages(incoming: IncomingMessage): Promise<readonly JSONRPCMessage[]> {
    const bytes = await readAnswer(incoming, this.#options.largestMessage);
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
    const messages = Array.isArray(value) ? value : [value];
    if (messages.every((each) => isJsonObject(each) && each['jsonrpc'] === '2.0')) return messages as JSONRPCMessage[];
    throw new Error('the server answered with JSON that is no JSON-RPC message');
  }
}
