import { setTimeout as wait } from 'node:timers/promises';
import {
  type JSONRPCMessage,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from '@modelcontextprotocol/client';
import type { Agent } from 'undici';
import { abortReason } from '../../../core/async/light-abort-signal.ts';
import { messageOf } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { ChannelSendOptions, ChannelTransport } from '../connection/rpc-channel.ts';
import { EventStreamReader, TextReader } from './client/body-readers.ts';
import { batchPerTick } from './client/batch-per-tick.ts';
import { createGuardedAgent } from './client/guarded-agent.ts';
import {
  type BodyReader,
  HttpClientRequest,
  type HttpRequestOptions,
  type HttpResponseHead,
  type HttpTarget,
  httpTarget,
} from './client/http-client-request.ts';
import type { AuthorizationResult, BearerAuthorization } from './oauth/bearer-authorization.ts';
import { type HeaderState, RequestHeaders, envelopeVersion } from './request-headers.ts';

/** Options of a Streamable HTTP transport. */
interface StreamableHttpOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxMessageBytes: number;
  readonly authorization: BearerAuthorization | undefined;
}

/**
 * An event stream and the request that it belongs to. The stream that the transport opens itself has no request: it is opened again
 * whenever it ends, and that of a request only when the server gave an event id.
 */
interface ResponseStream {
  readonly request: ChannelSendOptions | undefined;
  readonly delay: ReconnectDelay;
  lastEventId?: string;
}

/** The result of a request; `error` when the server refused it. */
type RequestResult = AuthorizationResult & { readonly error?: Error };

const accepted: RequestResult = { status: 200, challenge: undefined };
const sessionEndMs = 500;
const minReconnectDelayMs = 1000;
const maxReconnectDelayMs = 30_000;

/** Decides how long to wait before an event stream is opened again. Doubles the pause each time, since some servers end every idle stream. */
export class ReconnectDelay {
  #delayMs = 0;
  #lastAt = 0;

  /** Returns the next pause: at least `minMs`, or exactly that when the stream was open for a while. */
  next(minMs: number): number {
    const isRecent = Date.now() - this.#lastAt <= 2 * maxReconnectDelayMs;
    this.#delayMs = isRecent ? Math.min(Math.max(this.#delayMs * 2, minMs), maxReconnectDelayMs) : minMs;
    this.#lastAt = Date.now();
    return this.#delayMs;
  }
}

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
  readonly #target: HttpTarget;
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
    this.#target = httpTarget(url);
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
  send(message: JSONRPCMessage, options: ChannelSendOptions = {}): Promise<void> {
    const sending = this.#authorized((token) => this.#post(message, options, token));
    sending.catch((error: unknown) => {
      if (options.requestSignal?.aborted !== true) this.#report(error);
    });
    return sending;
  }

  /** Ends the session and closes all connections. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** Sends a request, with a token where the server needs one. Rejects when the server refuses the request. */
  #authorized(request: (token: string | undefined) => Promise<RequestResult>): Promise<void> {
    const { authorization } = this.#options;
    return (authorization === undefined ? request(undefined) : authorization.run(request)).then(throwRefusal);
  }

  #post(message: JSONRPCMessage, options: ChannelSendOptions, token: string | undefined): Promise<RequestResult> {
    return new Promise((resolve, reject) => {
      const { requestSignal: signal } = options;
      if (signal?.aborted === true) return reject(abortReason(signal));
      const request: HttpRequestOptions = {
        method: 'POST',
        target: this.#target,
        headers: this.#headers.forMessage(message, this.#state(token), options.headers),
        body: JSON.stringify(message),
        signal,
      };
      const exchange = new HttpClientRequest(this.#agent, request, {
        onResponse: (head) => this.#readPostResponse(head, message, options, resolve, reject),
        onError: reject,
      });
      exchange.start();
    });
  }

  #readPostResponse(
    head: HttpResponseHead,
    message: JSONRPCMessage,
    options: ChannelSendOptions,
    resolve: (result: RequestResult) => void,
    reject: (error: unknown) => void,
  ): BodyReader {
    const { maxMessageBytes } = this.#options;
    if (head.status < 200 || head.status >= 300) return this.#readRefusal(head, message, resolve, reject);
    const method = 'method' in message ? message.method : undefined;
    const isRequest = method !== undefined && 'id' in message;
    if (method === 'initialize') this.sessionId = header(head, 'mcp-session-id');
    const end = (): void => {
      if (isRequest) options.onRequestStreamEnd?.();
      resolve(accepted);
    };
    if (!isRequest || head.status === 202) {
      if (method === 'notifications/initialized' && head.status === 202) this.#listen();
      return new TextReader(maxMessageBytes, end, reject);
    }
    const contentType = header(head, 'content-type') ?? null;
    if (isMediaType(contentType, 'text/event-stream')) {
      resolve(accepted);
      return this.#readEvents({ request: options, delay: new ReconnectDelay() });
    }
    if (isMediaType(contentType, 'application/json')) {
      const deliver = (text: string): void => {
        try {
          for (const each of parseMessages(text)) this.onmessage?.(each, options);
          end();
        } catch (error) {
          reject(error);
        }
      };
      return new TextReader(maxMessageBytes, (text) => batchPerTick(() => deliver(text)), reject);
    }
    const problem = `Unexpected content type: ${contentType}`;
    const fail = (): void => reject(new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, problem, { contentType }));
    return new TextReader(maxMessageBytes, fail, fail);
  }

  /** Reads the body of a status that is not a success. */
  #readRefusal(
    head: HttpResponseHead,
    message: JSONRPCMessage,
    resolve: (result: RequestResult) => void,
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
    this.#openStream({ request: undefined, delay: new ReconnectDelay() }).catch((error: unknown) =>
      this.#report(error),
    );
  }

  /** Opens an event stream with GET. Resolves when it is open, or when the server has none. */
  #openStream(stream: ResponseStream): Promise<void> {
    return this.#authorized((token) => this.#get(stream, token));
  }

  #get(stream: ResponseStream, token: string | undefined): Promise<RequestResult> {
    return new Promise((resolve, reject) => {
      const headers = this.#headers.forStream(this.#state(token), stream.lastEventId);
      const request: HttpRequestOptions = {
        method: 'GET',
        target: this.#target,
        headers,
        signal: stream.request?.requestSignal,
      };
      const onResponse = (head: HttpResponseHead): BodyReader => {
        const { status, statusText } = head;
        if (status >= 200 && status < 300) {
          resolve(accepted);
          return this.#readEvents(stream);
        }
        if (status === 405) {
          // It has no event stream.
          resolve(accepted);
          stream.request?.onRequestStreamEnd?.();
        }
        const challenge = header(head, 'www-authenticate');
        const message = `Failed to open SSE stream: ${head.redirectProblem ?? statusText}`;
        const error = new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, message, { status, statusText });
        return new TextReader(this.#options.maxMessageBytes, () => resolve({ status, challenge, error }), reject);
      };
      new HttpClientRequest(this.#agent, request, { onResponse, onError: reject }).start();
    });
  }

  #readEvents(stream: ResponseStream): BodyReader {
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
              this.onmessage?.(message, stream.request);
            }
          } catch (error) {
            this.#report(error);
          }
        });
      },
      onEnd: (error) => {
        // After the events that came before it.
        batchPerTick(() => {
          if (this.#isOver(stream)) return;
          if (error !== undefined)
            this.#report(new Error(`SSE stream disconnected: ${error.message}`, { cause: error }));
          const isResumable = stream.request === undefined || stream.lastEventId !== undefined;
          if (isResumable && !isAnswered) this.#reopenLater(stream);
          else stream.request?.onRequestStreamEnd?.();
        });
      },
    });
  }

  #reopenLater(stream: ResponseStream): void {
    const delayMs = stream.delay.next(this.#retryMs ?? minReconnectDelayMs);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.#isOver(stream)) return;
      this.#openStream(stream).catch((error: unknown) => {
        if (this.#isOver(stream)) return;
        this.#report(new Error(`Failed to reconnect SSE stream: ${messageOf(error)}`, { cause: error }));
        this.#reopenLater(stream);
      });
    }, delayMs);
    this.#timers.add(timer);
  }

  #isOver({ request }: ResponseStream): boolean {
    return this.#isClosed || request?.requestSignal?.aborted === true;
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
    const end = (token: string | undefined): Promise<RequestResult> =>
      new Promise((resolve, reject) => {
        const headers = this.#headers.forDelete(this.#state(token));
        const onResponse = (): BodyReader =>
          new TextReader(this.#options.maxMessageBytes, () => resolve(accepted), reject);
        const request: HttpRequestOptions = { method: 'DELETE', target: this.#target, headers };
        new HttpClientRequest(this.#agent, request, { onResponse, onError: reject }).start();
      });
    await this.#authorized(end);
    this.sessionId = undefined;
  }

  #state(token: string | undefined): HeaderState {
    return { sessionId: this.sessionId, protocolVersion: this.#protocolVersion, token };
  }

  #report(error: unknown): void {
    if (!this.#isClosed) this.onerror?.(error instanceof Error ? error : new Error(messageOf(error)));
  }
}

function throwRefusal({ error }: RequestResult): void {
  if (error !== undefined) throw error;
}

function header({ headers }: HttpResponseHead, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

function isMediaType(contentType: string | null, type: string): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === type;
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
