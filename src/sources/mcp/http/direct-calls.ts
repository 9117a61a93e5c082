import { urlToHttpOptions } from 'node:url';
import {
  type FetchLike,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { type GuardedFetch, responseOf } from './guarded-fetch.ts';
import type { KeptSockets } from './kept-sockets.ts';
import { type Left, post } from './post.ts';
import { type Send, sendBySdk } from './send-by-sdk.ts';

type SendOptions = Parameters<Send>[1];

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
/** Whoever configures one of these has calls made by the SDK, which knows what becomes of it. */
const ours =
  /^(?:host|accept|content-type|content-length|connection|keep-alive|transfer-encoding|trailer|upgrade|expect|mcp-.*)$/;

/**
 * Sends calls of tools without the SDK's work on each of them, and takes their answers where those are a single JSON document.
 * Any other answer is handed to the SDK, as if it had asked itself: nothing is ever asked twice.
 */
export class DirectCalls {
  readonly #options: DirectCallsOptions;
  readonly #sockets: KeptSockets;
  /** Names and values in turn. */
  readonly #fixed: readonly string[];
  readonly #isPossible: boolean;
  /** Answers for the SDK, by the bodies that they answer. */
  readonly #answered = new Map<string, Response>();

  constructor(options: DirectCallsOptions) {
    const { url, headers, guarded } = options;
    this.#options = options;
    this.#sockets = guarded.socketsTo(url);
    const { auth } = urlToHttpOptions(url);
    const configured = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    this.#isPossible = configured.every(([name]) => !ours.test(name));
    this.#fixed = Object.entries({
      host: url.host,
      ...(auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {}),
      ...Object.fromEntries(configured),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    }).flat();
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
    const bySdk = sendBySdk(transport);
    transport.send = (message, options) => {
      if (Array.isArray(message)) return bySdk(message, options);
      const headers = this.#headersFor(message, options, transport);
      if (headers === undefined) return bySdk(message, options);
      const body = JSON.stringify(message);
      headers.push('content-length', String(Buffer.byteLength(body)));
      const failed = (error: unknown): never => {
        if (options?.requestSignal?.aborted !== true && error instanceof Error) transport.onerror?.(error);
        throw error;
      };
      // An answer goes to who waits for it. Anything else is for who sent this, which only the context of this tells.
      const take = (document: unknown): boolean => {
        const isTaken = isAnswer(document, message);
        if (isTaken) transport.onmessage?.(document);
        return isTaken;
      };
      const takeUp = async (left: Left): Promise<void> => {
        try {
          if ('document' in left) {
            for (const each of messagesOf(left.document)) transport.onmessage?.(each);
            // Whoever was not answered by now will not be.
            options?.onRequestStreamEnd?.();
            return;
          }
          this.#answered.set(body, await responseOf(left.incoming, this.#options.largestMessage));
        } catch (error) {
          failed(error);
        }
        await bySdk(message, options).finally(() => this.#answered.delete(body));
      };
      const largestAnswer = this.#options.largestMessage;
      return post(this.#sockets, { headers, body, signal: options?.requestSignal, largestAnswer, take }).then(
        (left) => (left === undefined ? undefined : takeUp(left)),
        failed,
      );
    };
  }

  /** The headers as the SDK makes them; none where it is left to the SDK. */
  #headersFor(
    message: JSONRPCMessage,
    options: SendOptions,
    { sessionId, protocolVersion }: StreamableHTTPClientTransport,
  ): string[] | undefined {
    if (!this.#isPossible || !('method' in message) || message.method !== 'tools/call') return undefined;
    if (!('id' in message) || options?.headers !== undefined || options?.resumptionToken !== undefined)
      return undefined;
    const headers = [...this.#fixed];
    if (sessionId !== undefined) headers.push('mcp-session-id', sessionId);
    const { name, _meta } = (message.params ?? {}) as JsonObject;
    const version = isJsonObject(_meta) ? _meta[PROTOCOL_VERSION_META_KEY] : undefined;
    if (typeof version !== 'string') {
      if (protocolVersion !== undefined) headers.push('mcp-protocol-version', protocolVersion);
      return headers;
    }
    if (typeof name !== 'string' || !plain.test(name)) return undefined;
    headers.push('mcp-protocol-version', version, 'mcp-method', message.method, 'mcp-name', name);
    return headers;
  }
}

function isAnswer(document: unknown, call: JSONRPCMessage): document is JSONRPCMessage {
  if (!isJsonObject(document) || document['jsonrpc'] !== '2.0' || 'method' in document) return false;
  return 'id' in call && document['id'] === call.id;
}

function messagesOf(document: unknown): readonly JSONRPCMessage[] {
  const messages = Array.isArray(document) ? document : [document];
  if (messages.every((each) => isJsonObject(each) && each['jsonrpc'] === '2.0')) return messages as JSONRPCMessage[];
  throw new Error('the server answered with JSON that is no JSON-RPC message');
}
