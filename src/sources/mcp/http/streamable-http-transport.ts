import { setTimeout as wait } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Agent } from 'undici';
import { type AbortSignalLike, abortReason } from '../../../core/async/light-abort-signal.ts';
import { messageOf } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { ChannelSendOptions, ChannelTransport } from '../connection/rpc-channel.ts';
import { EventStreamReader, TextReader } from './client/body-readers.ts';
import { atEndOfTick, batchPerTick } from './client/batch-per-tick.ts';
import { createGuardedAgent } from './client/guarded-agent.ts';
import { type BodyReader, HttpExchange, type HttpRequest, type HttpResponseHead } from './client/http-exchange.ts';
import type { AuthorizationResult, BearerAuthorization } from './oauth/bearer-authorization.ts';
import { ReconnectDelay } from './reconnect-delay.ts';
import { type HeaderState, RequestHeaders, envelopeVersion } from './request-headers.ts';

/** Options of a Streamable HTTP transport. */
interface StreamableHttpOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly authorization: BearerAuthorization | undefined;
}

/** An event stream and the request that it belongs to; one that the transport opened has none. */
interface StreamOptions {
  readonly extra?: { readonly caller: ChannelSendOptions['caller'] } | undefined;
  readonly signal?: AbortSignalLike | undefined;
  /** Called once, when no more messages come. */
  readonly onEnd?: (() => void) | undefined;
  /** Whether the stream is opened again when it ends: always, or only when the server gave an event id. */
  readonly isPermanent: boolean;
  readonly delay: ReconnectDelay;
  lastEventId?: string | undefined;
}

/** The result of a request; `error` when the server refused it. */
type PostResult = AuthorizationResult & { readonly error?: Error };

const accepted: PostResult = { status: 200, challenge: undefined };
const sessionEndMs = 500;
const minReconnectDelayMs = 1000;

/**
 * MCP over Streamable HTTP, in both protocol eras: sessions, the server's event stream, resumption, and responses as JSON or as event
 * streams. Messages that arrive in the same turn of the event loop are delivered together, so that they share a commit of the journal.
 */
export class StreamableHttpTransport implements ChannelTransport {
  onmessage: ChannelTransport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  /** With this the SDK cancels a request of the 2026 revision by closing its stream. */
  readonly hasPerRequestStream = true;
  sessionId: string | undefined;

  readonly #options: StreamableHttpOptions;
  readonly #agent: Agent;
  readonly #headers: RequestHeaders;
  readonly #timers = new Set<NodeJS.Timeout>();
  #protocolVersion: string | undefined;
  /** The reconnection delay that the server asked for. */
  #retryMs: number | undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  constructor(options: StreamableHttpOptions) {
    const { url, headers } = options;
    this.#options = options;
    this.#agent = createGuardedAgent([url]);
    this.#headers = new RequestHeaders(url, headers);
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  /** Posts a message. Resolves when its response was delivered, or its event stream is open. */
  async send(message: JSONRPCMessage, options: ChannelSendOptions = {}): Promise<void> {
    const { authorization } = this.#options;
    try {
      const { error } =
        authorization === undefined
          ? await this.#post(message, options, undefined)
          : await authorization.run((token) => this.#post(message, options, token));
      if (error !== undefined) throw error;
    } catch (error) {
      if (options.requestSignal?.aborted !== true) this.#report(error);
      throw error;
    }
  }

  /** Ends the session and closes all connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  #post(message: JSONRPCMessage, options: ChannelSendOptions, token: string | undefined): Promise<PostResult> {
    return new Promise((resolve, reject) => {
      const { requestSignal: signal } = options;
      if (signal?.aborted === true) return reject(abortReason(signal));
      const request: HttpRequest = {
        method: 'POST',
        url: this.#options.url,
        headers: this.#headers.forMessage(message, this.#state(token), options.headers),
        body: JSON.stringify(message),
        signal,
      };
      const exchange = new HttpExchange(this.#agent, request, {
        onResponse: (head) => this.#readPostResponse(head, message, options, resolve, reject),
        onError: reject,
      });
      // Requests of one turn leave one right after the other, so the server wakes up once for all of them.
      atEndOfTick(() => exchange.start());
    });
  }

  #readPostResponse(
    head: HttpResponseHead,
    message: JSONRPCMessage,
    options: ChannelSendOptions,
    resolve: (result: PostResult) => void,
    reject: (error: unknown) => void,
  ): BodyReader {
    const { maxMessageBytes } = this.#options;
    const method = 'method' in message ? message.method : undefined;
    const isRequest = method !== undefined && 'id' in message;
    const isSuccess = head.status >= 200 && head.status < 300;
    if (!isSuccess) return this.#readRefusal(head, message, resolve, reject);
    if (method === 'initialize') this.sessionId = header(head, 'mcp-session-id');
    const extra = options.caller === undefined ? undefined : { caller: options.caller };
    const end = (): void => {
      options.onRequestStreamEnd?.();
      resolve(accepted);
    };
    if (!isRequest || head.status === 202) {
      if (method === 'notifications/initialized' && head.status === 202) this.#listen();
      return new TextReader(maxMessageBytes, isRequest ? end : () => resolve(accepted), reject);
    }
    const type = mediaType(head);
    if (type === 'text/event-stream') {
      resolve(accepted);
      const { requestSignal: signal, onRequestStreamEnd: onEnd } = options;
      return this.#readEvents({ extra, signal, onEnd, isPermanent: false, delay: new ReconnectDelay() });
    }
    if (type === 'application/json') {
      const deliver = (text: string): void => {
        for (const each of parseMessages(text)) this.onmessage?.(each, extra);
        end();
      };
      return new TextReader(
        maxMessageBytes,
        (text) => batchPerTick(() => attempt(() => deliver(text), reject)),
        reject,
      );
    }
    const contentType = header(head, 'content-type') ?? null;
    const problem = `Unexpected content type: ${contentType}`;
    const fail = (): void => reject(new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, problem, { contentType }));
    return new TextReader(maxMessageBytes, fail, fail);
  }

  /** Reads the body of a status that is not a success. */
  #readRefusal(
    head: HttpResponseHead,
    message: JSONRPCMessage,
    resolve: (result: PostResult) => void,
    reject: (error: unknown) => void,
  ): BodyReader {
    const { status } = head;
    const onText = (text: string): void => {
      // A server of the 2026 revision also answers a request with an error of the protocol this way.
      const answer = status === 400 && envelopeVersion(message) !== undefined ? errorAnswer(text, message) : undefined;
      if (answer !== undefined) {
        this.onmessage?.(answer);
        resolve(accepted);
        return;
      }
      const reason = head.redirectProblem ?? text;
      const data = { status, statusText: head.statusText, text };
      const code = SdkErrorCode.ClientHttpNotImplemented;
      const error = new SdkHttpError(code, `Error POSTing to endpoint: ${reason}`, data);
      resolve({ status, challenge: header(head, 'www-authenticate'), error });
    };
    return new TextReader(this.#options.maxMessageBytes, onText, reject);
  }

  /** Opens the stream on which the server sends what belongs to no request. A server need not have one. */
  #listen(): void {
    this.#openStream({ isPermanent: true, delay: new ReconnectDelay() }).catch((error: unknown) => this.#report(error));
  }

  /** Opens an event stream with GET. Resolves when it is open, or when the server has none. */
  async #openStream(stream: StreamOptions): Promise<void> {
    const { authorization } = this.#options;
    const { error } =
      authorization === undefined
        ? await this.#get(stream, undefined)
        : await authorization.run((token) => this.#get(stream, token));
    if (error !== undefined) throw error;
  }

  #get(stream: StreamOptions, token: string | undefined): Promise<PostResult> {
    return new Promise((resolve, reject) => {
      const headers = this.#headers.forStream(this.#state(token), stream.lastEventId);
      const request: HttpRequest = { method: 'GET', url: this.#options.url, headers, signal: stream.signal };
      const onResponse = (head: HttpResponseHead): BodyReader => {
        const { status, statusText } = head;
        if (status >= 200 && status < 300) {
          resolve(accepted);
          return this.#readEvents(stream);
        }
        if (status === 405) {
          // It has no event stream.
          resolve(accepted);
          stream.onEnd?.();
        }
        const challenge = header(head, 'www-authenticate');
        const message = `Failed to open SSE stream: ${head.redirectProblem ?? statusText}`;
        const error = new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, message, { status, statusText });
        return new TextReader(this.#options.maxMessageBytes, () => resolve({ status, challenge, error }), reject);
      };
      new HttpExchange(this.#agent, request, { onResponse, onError: reject }).start();
    });
  }

  #readEvents(stream: StreamOptions): BodyReader {
    let isAnswered = false;
    return new EventStreamReader(this.#options.maxMessageBytes, {
      onRetry: (ms) => (this.#retryMs = ms),
      onEvent: ({ id, event, data }) => {
        if (id !== undefined && id !== '') stream.lastEventId = id;
        if (data === '' || (event !== undefined && event !== 'message')) return;
        batchPerTick(() => {
          if (this.#isClosed) return;
          try {
            for (const message of parseMessages(data)) {
              if (!('method' in message)) isAnswered = true;
              this.onmessage?.(message, stream.extra);
            }
          } catch (error) {
            this.#report(error);
          }
        });
      },
      onEnd: (error) => {
        // After the events that came before it.
        batchPerTick(() => {
          if (this.#isClosed || stream.signal?.aborted === true) return;
          if (error !== undefined)
            this.#report(new Error(`SSE stream disconnected: ${error.message}`, { cause: error }));
          const isResumable = stream.isPermanent || stream.lastEventId !== undefined;
          if (isResumable && !isAnswered) this.#reopenLater(stream);
          else stream.onEnd?.();
        });
      },
    });
  }

  #reopenLater(stream: StreamOptions): void {
    const delayMs = stream.delay.next(this.#retryMs ?? minReconnectDelayMs);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#isClosed || stream.signal?.aborted === true) return;
      this.#openStream(stream).catch((error: unknown) => {
        if (this.#isClosed || stream.signal?.aborted === true) return;
        this.#report(new Error(`Failed to reconnect SSE stream: ${messageOf(error)}`, { cause: error }));
        this.#reopenLater(stream);
      });
    }, delayMs);
    this.#timers.add(timer);
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.race([this.#endSession().catch(() => undefined), wait(sessionEndMs, undefined, { ref: false })]);
    await this.#agent.destroy(new Error('the connection was closed'));
    this.onclose?.();
  }

  async #endSession(): Promise<void> {
    if (this.sessionId === undefined) return;
    const { authorization, url, maxMessageBytes } = this.#options;
    const end = (token: string | undefined): Promise<PostResult> =>
      new Promise((resolve, reject) => {
        const request: HttpRequest = { method: 'DELETE', url, headers: this.#headers.forDelete(this.#state(token)) };
        const onResponse = (): BodyReader => new TextReader(maxMessageBytes, () => resolve(accepted), reject);
        new HttpExchange(this.#agent, request, { onResponse, onError: reject }).start();
      });
    await (authorization === undefined ? end(undefined) : authorization.run(end));
    this.sessionId = undefined;
  }

  #state(token: string | undefined): HeaderState {
    return { sessionId: this.sessionId, protocolVersion: this.#protocolVersion, token };
  }

  #report(error: unknown): void {
    if (!this.#isClosed) this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
  }
}

function header({ headers }: HttpResponseHead, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

function mediaType(head: HttpResponseHead): string {
  return (header(head, 'content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Parses one JSON-RPC message, or a batch of them. */
function parseMessages(text: string): readonly JSONRPCMessage[] {
  const document: unknown = JSON.parse(text);
  const messages = Array.isArray(document) ? (document as unknown[]) : [document];
  if (messages.every((each) => isJsonObject(each) && each['jsonrpc'] === '2.0')) return messages as JSONRPCMessage[];
  throw new Error('the server answered with JSON that is not a valid JSON-RPC message');
}

/** Returns the error response to this request, when the text is one. */
function errorAnswer(text: string, request: JSONRPCMessage): JSONRPCMessage | undefined {
  try {
    const [answer] = parseMessages(text);
    return answer !== undefined && 'error' in answer && 'id' in request && answer.id === request.id
      ? answer
      : undefined;
  } catch {
    return undefined;
  }
}

function attempt(work: () => void, onError: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    onError(error);
  }
}
