import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { Progress } from '../../../core/calls/call.ts';
import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { KeyedSlotMap } from '../../../core/async/slot-map.ts';
import { type AbortSignalLike, LightAbortSignal, abortReason } from '../../../core/async/light-abort-signal.ts';
import type { RunningCall } from '../server-messages/running-calls.ts';
import { ConnectionLost, RemoteError, remoteError } from './connection-errors.ts';
import { toRequestError } from '../http/http-errors.ts';
import { written } from '../stdio/stdio-transport.ts';

/** What a request may be told besides its parameters. */
export interface RequestOptions {
  readonly signal?: AbortSignalLike | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Rejects with a `ConnectionLost` after this time. */
  readonly timeoutMs?: number | undefined;
  /** Who waits for it; what the server says on the stream of the answer is for this one. */
  readonly caller?: RunningCall | undefined;
  /** Sent with it over HTTP. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** In the place of the lane’s own. */
  readonly envelope?: JsonObject | undefined;
}

/** Options of `send`. Transports with a stream for each request give its caller back with every message that comes on it. */
export interface ChannelSendOptions extends Omit<TransportSendOptions, 'requestSignal'> {
  readonly requestSignal?: AbortSignalLike | undefined;
  readonly caller?: RunningCall | undefined;
}

/** A transport below a channel: one of the SDK, or one of ours, which knows on whose stream a message came. */
export interface ChannelTransport extends Omit<Transport, 'onmessage' | 'send'> {
  onmessage?:
    | ((message: JSONRPCMessage, extra?: MessageExtraInfo & Pick<ChannelSendOptions, 'caller'>) => void)
    | undefined;
  send(message: JSONRPCMessage, options?: ChannelSendOptions): Promise<void>;
}

/** Where requests that wait are kept, and how the server is told that one is not needed any more. */
interface PendingRequests {
  readonly all: KeyedSlotMap<string, PendingRequest>;
  withdraw(pending: PendingRequest): void;
}

/** A request that waits for its answer. A class, since every call makes one: its functions are not made anew. */
class PendingRequest {
  readonly id: string;
  readonly promise: Promise<JsonObject>;
  sent: boolean;
  /** Its own stream, where it has one. */
  readonly stream: LightAbortSignal | undefined;
  readonly #options: RequestOptions;
  readonly #lane: PendingRequests;
  readonly #timer: NodeJS.Timeout | undefined;
  #resolve: (result: JsonObject) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(id: string, options: RequestOptions, hasStream: boolean, lane: PendingRequests) {
    const { signal, timeoutMs } = options;
    this.id = id;
    this.#options = options;
    this.#lane = lane;
    // Over HTTP nothing tells when a request has left; it is taken as sent until its failure says otherwise.
    this.sent = hasStream;
    this.stream = hasStream ? new LightAbortSignal() : undefined;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (timeoutMs !== undefined)
      this.#timer = setTimeout(
        () => this.settle(new ConnectionLost(`no answer within ${timeoutMs} ms`, true)),
        timeoutMs,
      );
    lane.all.set(id, this);
    signal?.addEventListener('abort', this, { once: true });
  }

  get onProgress(): RequestOptions['onProgress'] {
    return this.#options.onProgress;
  }

  settle(outcome: JsonObject | Error): void {
    if (!this.#lane.all.delete(this.id)) return;
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this);
    if (outcome instanceof Error) this.#reject(outcome);
    else this.#resolve(outcome);
  }

  /** The caller's signal was aborted. */
  handleEvent(): void {
    const { signal } = this.#options;
    this.#lane.withdraw(this);
    if (signal !== undefined) this.settle(abortReason(signal));
    this.stream?.abort(signal?.reason);
  }

  fail(error: unknown): void {
    this.settle(toRequestError(error, this.sent));
  }

  /** Its stream ended, with the answer or without. */
  cut(): void {
    if (!this.#lane.all.has(this.id)) return;
    this.settle(new ConnectionLost('the stream of the answer ended before the answer came', true));
  }
}

const prefix = 'signalbox-';

/**
 * Stands between the SDK's client and its transport. Requests that are made here have ids of our own and are answered
 * here, without the SDK's work on each of them; everything else passes through.
 */
export class RpcChannel implements Transport {
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  onerror: Transport['onerror'];
  readonly setProtocolVersion;
  readonly hasPerRequestStream: boolean;
  /** Whether a resolved `send` means that the request is on its way, and a pending one that it is not. */
  readonly isStdio: boolean = false;
  /** What the 2026 revision wants in every request's `_meta`; absent for the older ones. */
  envelope: JsonObject | undefined;
  /** Told once when no answers will come any more. */
  onLost: ((reason: string, cause?: unknown) => void) | undefined;
  /** Told of everything that went wrong on the way, fatal or not. */
  onTransportError: ((error: Error) => void) | undefined;
  /** Takes what the server asks and tells, and says whether it did; with the caller on whose stream it came, if that is known. */
  handleServerMessage: ((message: JSONRPCMessage, known: RunningCall | undefined) => boolean) | undefined;

  readonly #transport: ChannelTransport;
  readonly #describeClose: () => string;
  readonly #pending = new KeyedSlotMap<string, PendingRequest>();
  readonly #shared: PendingRequests = { all: this.#pending, withdraw: (pending) => this.#withdraw(pending) };
  /** Requests of the SDK that have no answer yet. */
  readonly #asked = new Set<unknown>();
  #last = 0;
  #closedBecause: string | undefined;

  constructor(transport: ChannelTransport, describeClose: () => string) {
    this.#transport = transport;
    this.#describeClose = describeClose;
    this.hasPerRequestStream = transport.hasPerRequestStream === true;
    this.setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  }

  get isLost(): boolean {
    return this.#closedBecause !== undefined;
  }

  get sessionId(): string | undefined {
    return this.#transport.sessionId;
  }

  start(): Promise<void> {
    const handlers: Pick<ChannelTransport, 'onmessage' | 'onerror' | 'onclose'> = {
      onmessage: (message, extra) => {
        if (this.#isOurs(message) || this.handleServerMessage?.(message, extra?.caller) === true) return;
        if (!('method' in message)) this.#asked.delete(message.id);
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
    return this.#transport.send(message, this.#answered(message, options));
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Ends every request under way: their answers will not come. */
  lose(reason: string, cause?: unknown): void {
    if (this.#closedBecause !== undefined) return;
    this.#closedBecause = reason;
    for (const pending of this.#pending.values()) pending.settle(new ConnectionLost(reason, pending.sent));
    this.onLost?.(reason, cause);
  }

  /**
   * Makes a request. Rejects with a `RemoteError` when the server answers with an error, with a `ConnectionLost` when no
   * answer will come, and with the signal's reason when it is aborted, of which the server is told.
   */
  request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const { signal, onProgress, caller, headers, envelope = this.envelope } = options;
    if (signal?.aborted === true) return Promise.reject(abortReason(signal));
    if (this.#closedBecause !== undefined) return Promise.reject(new ConnectionLost(this.#closedBecause, false));
    const id = `${prefix}${(this.#last += 1)}`;
    const given = withMeta(params, envelope, onProgress === undefined ? undefined : id);
    const message = { jsonrpc: '2.0', id, method, params: given } as JSONRPCMessage;
    const pending = new PendingRequest(id, options, !this.isStdio, this.#shared);
    try {
      const sending = this.isStdio
        ? // A process has one stream for everything, and none to close: only whether it is aborted is looked at there.
          this.#transport.send(message, signal && { requestSignal: signal })
        : this.#transport.send(message, {
            requestSignal: pending.stream,
            ...(headers === undefined ? {} : { headers }),
            caller,
            onRequestStreamEnd: () => pending.cut(),
          });
      if (sending === written) pending.sent = true;
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

  /** The SDK waits for the answer to a request of its own for as long as that may take, also when its stream has ended. */
  #answered(message: JSONRPCMessage, options: TransportSendOptions | undefined): TransportSendOptions | undefined {
    if (this.isStdio || !('method' in message) || !('id' in message)) return options;
    const { id } = message;
    this.#asked.add(id);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      const error = { code: -32_000, message: 'the stream of the answer ended before the answer came' };
      if (this.#asked.delete(id)) this.onmessage?.({ jsonrpc: '2.0', id, error });
    };
    return { ...options, onRequestStreamEnd };
  }

  #withdraw({ id, sent }: PendingRequest): void {
    // In the 2026 revision over HTTP, closing the stream is how a request is cancelled.
    const byStream = this.hasPerRequestStream && this.envelope !== undefined;
    if (!sent || byStream) return;
    const params = withMeta({ requestId: id, reason: 'the call was cancelled or ran out of time' }, this.envelope);
    this.#transport
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch((error: unknown) => this.onTransportError?.(new Error(messageOf(error), { cause: error })));
  }

  #isOurs(message: JSONRPCMessage): boolean {
    if ('method' in message) return message.method === 'notifications/progress' && this.#isProgress(message.params);
    const { id } = message;
    if (typeof id !== 'string' || !id.startsWith(prefix)) return false;
    const pending = this.#pending.get(id);
    // An answer to what was cancelled meanwhile has nobody to go to.
    if (pending === undefined) return true;
    if ('result' in message && isJsonObject(message.result)) pending.settle(message.result);
    else if ('error' in message) pending.settle(remoteError(message.error));
    else pending.settle(new RemoteError(-32_603, 'the server answered with neither a result nor an error'));
    return true;
  }

  #isProgress(params: unknown): boolean {
    if (!isJsonObject(params)) return false;
    const { progressToken, progress, total, message } = params;
    if (typeof progressToken !== 'string' || !progressToken.startsWith(prefix)) return false;
    if (typeof progress !== 'number') return true;
    this.#pending.get(progressToken)?.onProgress?.({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    });
    return true;
  }
}

/** A lane to a process; the SDK recognises one by these two properties. */
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
