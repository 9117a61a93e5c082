import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { Progress } from '../../../core/calls/call.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { KeyedSlotMap } from '../../../core/async/slot-map.ts';
import { type AbortSignalLike, LightAbortSignal, abortReason } from '../../../core/async/light-abort-signal.ts';
import type { UpstreamCall } from '../server-messages/upstream-calls.ts';
import { ConnectionLostError, RemoteError, remoteError, toRequestError } from './connection-errors.ts';

/** Options of a request. */
export interface RequestOptions {
  readonly signal?: AbortSignalLike | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Rejects with a `ConnectionLostError` after this time. */
  readonly timeoutMs?: number | undefined;
  /** The call that the request belongs to, and with it all messages on the response stream. */
  readonly caller?: UpstreamCall | undefined;
  /** Additional HTTP headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Replaces the envelope of the channel. */
  readonly envelope?: JsonObject | undefined;
}

/** Options of `send`. A transport with a stream for each request passes `caller` on with every message of that stream. */
export interface ChannelSendOptions
  extends Omit<TransportSendOptions, 'requestSignal' | 'headers'>, Pick<RequestOptions, 'caller' | 'headers'> {
  readonly requestSignal?: AbortSignalLike | undefined;
}

/** A transport below a channel: one of the SDK, or one of ours, which knows the stream that a message arrived on. */
export interface ChannelTransport extends Omit<Transport, 'onmessage' | 'send'> {
  onmessage?:
    | ((message: JSONRPCMessage, extra?: MessageExtraInfo & Pick<ChannelSendOptions, 'caller'>) => void)
    | undefined;
  send(message: JSONRPCMessage, options?: ChannelSendOptions): Promise<void>;
}

/** Returned by `send` of a transport that wrote the message at once. Comparing with it spares waiting. */
export const alreadyWritten: Promise<void> = Promise.resolve();

/** All pending requests of a channel. */
interface PendingRequests {
  readonly all: KeyedSlotMap<string, PendingRequest>;
  /** Notifies the server that a request was cancelled. */
  withdraw(pending: PendingRequest): void;
  /** Converts the error of a failed `send`. */
  readonly toError: typeof toRequestError;
}

/** A request without a response, and the options with which it is sent. A class instead of closures, because every call creates one. */
class PendingRequest implements ChannelSendOptions {
  readonly id: string;
  readonly promise: Promise<JsonObject>;
  sent: boolean;
  /** Closes the stream of the request, where it has one. */
  readonly requestSignal: LightAbortSignal | undefined;
  readonly caller: RequestOptions['caller'];
  readonly headers: RequestOptions['headers'];
  readonly #options: RequestOptions;
  readonly #requests: PendingRequests;
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve: (result: JsonObject) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(id: string, options: RequestOptions, hasStream: boolean, requests: PendingRequests) {
    const { signal, timeoutMs, caller, headers } = options;
    this.id = id;
    this.caller = caller;
    this.headers = headers;
    this.#options = options;
    this.#requests = requests;
    // HTTP does not report when a request was sent, so it counts as sent unless its error proves the opposite.
    this.sent = hasStream;
    this.requestSignal = hasStream ? new LightAbortSignal() : undefined;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (timeoutMs !== undefined)
      this.#timer = setTimeout(() => {
        const lost = new ConnectionLostError(`no response within ${timeoutMs} ms`, true);
        this.settle(lost);
        this.requestSignal?.abort(lost);
      }, timeoutMs);
    requests.all.set(id, this);
    signal?.addEventListener('abort', this, { once: true });
  }

  get onProgress(): RequestOptions['onProgress'] {
    return this.#options.onProgress;
  }

  settle(outcome: JsonObject | Error): void {
    if (!this.#requests.all.delete(this.id)) return;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this);
    if (outcome instanceof Error) this.#reject(outcome);
    else this.#resolve(outcome);
  }

  /** Handles the `abort` event of the caller's signal. */
  handleEvent(): void {
    const { signal } = this.#options;
    this.#requests.withdraw(this);
    if (signal !== undefined) this.settle(abortReason(signal));
    this.requestSignal?.abort(signal?.reason);
  }

  fail(error: unknown): void {
    this.settle(this.#requests.toError(error, this.sent));
  }

  /** Fails the request when its stream ended without the response. */
  onRequestStreamEnd(): void {
    if (!this.#requests.all.has(this.id)) return;
    this.settle(new ConnectionLostError(streamEnded, true));
  }
}

const idPrefix = 'signalbox-';
const streamEnded = 'the response stream ended without a response';

/**
 * The JSON-RPC channel between the SDK's client and a transport. It sends our own requests and matches their responses by ids of our own,
 * which spares the SDK's work on each; all other messages pass through.
 */
export class RpcChannel implements Transport {
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  readonly setProtocolVersion;
  readonly hasPerRequestStream: boolean;
  /** Whether `send` resolves as soon as the message was written, as it does on a pipe. */
  readonly isStdio: boolean = false;
  /** The `_meta` fields of the 2026 revision; absent for the older ones. */
  envelope: JsonObject | undefined;
  /** Called once, when the connection is lost. */
  onLost: ((reason: string, cause?: unknown) => void) | undefined;
  /** Called with each transport error, fatal or not. */
  onTransportError: ((error: Error) => void) | undefined;
  /** Handles requests and notifications of the server. Returns whether it did. `caller`: the call on whose stream the message arrived, if known. */
  handleServerMessage: ((message: JSONRPCMessage, caller: UpstreamCall | undefined) => boolean) | undefined;

  readonly #transport: ChannelTransport;
  readonly #describeClose: () => string;
  readonly #pending = new KeyedSlotMap<string, PendingRequest>();
  readonly #requests: PendingRequests;
  /** Ids of pending requests of the SDK. */
  readonly #sdkRequests = new Set<unknown>();
  #lastId = 0;
  #closeReason: string | undefined;

  constructor(transport: ChannelTransport, describeClose: () => string, toError = toRequestError) {
    this.#transport = transport;
    this.#describeClose = describeClose;
    this.#requests = { all: this.#pending, withdraw: (pending) => this.#withdraw(pending), toError };
    this.hasPerRequestStream = transport.hasPerRequestStream === true;
    this.setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  }

  get isLost(): boolean {
    return this.#closeReason !== undefined;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  start(): Promise<void> {
    const handlers: Pick<ChannelTransport, 'onmessage' | 'onerror' | 'onclose'> = {
      onmessage: (message, extra) => {
        if (this.#isOurs(message) || this.handleServerMessage?.(message, extra?.caller) === true) return;
        if (!('method' in message)) this.#sdkRequests.delete(message.id);
        this.onmessage?.(message, extra);
      },
      onerror: (error) => {
        this.onerror?.(error);
        this.onTransportError?.(error);
      },
      onclose: () => {
        this.lose(this.#describeClose());
        this.onclose?.();
      },
    };
    Object.assign(this.#transport, handlers);
    return this.#transport.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#transport.send(message, this.#withStreamEnd(message, options));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Fails every pending request with a `ConnectionLostError`. */
  lose(reason: string, cause?: unknown): void {
    if (this.#closeReason !== undefined) return;
    this.#closeReason = reason;
    for (const pending of this.#pending.values()) pending.settle(new ConnectionLostError(reason, pending.sent));
    this.onLost?.(reason, cause);
  }

  /**
   * Sends a request. Rejects with a `RemoteError` when the server responds with an error, with a `ConnectionLostError` when no
   * response will come, and with the signal's reason when it is aborted; the server is notified of that.
   */
  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, onProgress, envelope = this.envelope } = options;
    if (signal?.aborted === true) return Promise.reject(abortReason(signal));
    if (this.#closeReason !== undefined) return Promise.reject(new ConnectionLostError(this.#closeReason, false));
    const id = `${idPrefix}${(this.#lastId += 1)}`;
    const paramsWithMeta = withMeta(params, envelope, onProgress === undefined ? undefined : id);
    const message = { jsonrpc: '2.0', id, method, params: paramsWithMeta } as JSONRPCMessage;
    const pending = new PendingRequest(id, options, !this.isStdio, this.#requests);
    try {
      // A process has one stream for everything, so nothing can be closed for one request.
      const sendOptions = this.isStdio ? signal && { requestSignal: signal } : pending;
      const sending = this.#transport.send(message, sendOptions);
      if (sending === alreadyWritten) pending.sent = true;
      else
        sending.then(
          () => (pending.sent = true),
          (error: unknown) => pending.fail(error),
        );
    } catch (error) {
      pending.fail(error);
    }
    return pending.promise;
  }

  /** Adds an error response for when the stream ends without one: the SDK would wait for its full timeout. */
  #withStreamEnd(message: JSONRPCMessage, options: TransportSendOptions | undefined): TransportSendOptions | undefined {
    if (this.isStdio || !('method' in message) || !('id' in message)) return options;
    const { id } = message;
    this.#sdkRequests.add(id);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      const error = { code: -32_000, message: streamEnded };
      if (this.#sdkRequests.delete(id)) this.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return { ...options, onRequestStreamEnd };
  }

  #withdraw({ id, sent }: PendingRequest): void {
    // The 2026 revision cancels a request over HTTP by closing its stream.
    const byStream = this.hasPerRequestStream && this.envelope !== undefined;
    if (!sent || byStream) return;
    const params = withMeta({ requestId: id, reason: 'the call was cancelled or timed out' }, this.envelope);
    this.#transport
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch((error: unknown) => this.onTransportError?.(new Error(messageOf(error), { cause: error })));
  }

  #isOurs(message: JSONRPCMessage): boolean {
    if ('method' in message) return message.method === 'notifications/progress' && this.#isProgress(message.params);
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith(idPrefix)) return false;
    const pending = this.#pending.get(id);
    // The request was cancelled meanwhile.
    if (pending === undefined) return true;
    if ('result' in message && isJsonObject(message.result)) pending.settle(message.result);
    else if ('error' in message) pending.settle(remoteError(message.error));
    else pending.settle(new RemoteError(-32_603, 'the server answered with neither a result nor an error'));
    return true;
  }

  #isProgress(params: unknown): boolean {
    if (!isJsonObject(params)) return false;
    const { progressToken, progress, total, message } = params;
    if (typeof progressToken !== 'string' || !progressToken.startsWith(idPrefix)) return false;
    if (typeof progress !== 'number') return true;
    this.#pending.get(progressToken)?.onProgress?.({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    });
    return true;
  }
}

/** A channel to a process; the SDK recognizes one by these two properties. */
export class StdioChannel extends RpcChannel {
  readonly stderr = null;
  readonly pid = null;
  override readonly isStdio = true;
}

function withMeta(params: JsonObject, envelope: JsonObject | undefined, progressToken?: string): JsonObject {
  if (envelope === undefined && progressToken === undefined) return params;
  const token = progressToken === undefined ? {} : { progressToken };
  return { ...params, _meta: { ...(params['_meta'] as JsonObject | undefined), ...envelope, ...token } };
}
