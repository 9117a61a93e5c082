import type { Readable, Writable } from 'node:stream';
import { MessageReader } from '../../../process/message-reader.ts';
import { readJson } from '../../../core/json/read-json.ts';
import { KeyedSlotMap, SlotMap } from '../../../core/async/slot-map.ts';
import { LightAbortSignal } from '../../../core/async/light-abort-signal.ts';
import { serveBatch } from '../protocol/batch.ts';
import type { ClientChannel, Peer } from '../requests/request-context.ts';
import { envelopeVersion, parseEnvelope } from '../protocol/client-info.ts';
import type { LegacySession } from '../sessions/legacy-session.ts';
import type { ChangeSubscription } from '../listing/listen-request.ts';
import type { McpEndpoint } from '../mcp-endpoint.ts';
import { toWireError } from '../protocol/to-wire-error.ts';
import {
  type Answer,
  type RequestId,
  WireError,
  type WireMessage,
  type WireRequest,
  errorText,
  idOf,
  readMessage,
  replyText,
  wireCodes,
} from '../protocol/wire-messages.ts';

const maxMessageBytes = 16 * 1024 * 1024;

/** The streams of a client. */
interface StdioStreams {
  readonly input: Readable;
  readonly output: Writable;
  /** Ends the connection before the input ends. */
  readonly signal: AbortSignal;
}

/** Options of `serveStdio`. */
export interface StdioOptions extends StdioStreams {
  readonly endpoint: McpEndpoint;
  readonly peer: Peer;
  /** Requests for tools wait until this resolves. */
  readonly ready?: Promise<unknown> | undefined;
  /** The time for which running requests may continue after the input has ended. */
  readonly graceMs: number;
  log(line: string): void;
}

/** Serves one client over a pair of streams until the input ends. Each request may be of any revision. */
export async function serveStdio(options: StdioOptions): Promise<void> {
  const connection = new StdioConnection(options);
  const reader = new MessageReader({
    maxMessageBytes,
    parse: (line) => {
      const value = readJson(line);
      return Array.isArray(value) ? new Batch(value) : value;
    },
    onMessage: (message) => {
      if (message instanceof Batch) connection.receiveAll(message.messages);
      else connection.receive(message);
    },
    onNoise: (_, error) =>
      connection.refuse(error ?? new WireError(wireCodes.request, 'the line is not a JSON object')),
    onTooLarge: () =>
      connection.refuse(new WireError(wireCodes.request, `a message may have at most ${maxMessageBytes} bytes`)),
  });
  await readUntilEnd(options, reader);
  await connection.close(options.signal.aborted ? 0 : options.graceMs);
}

/** A client on stdio that cannot be served, and the reason. */
export interface RefusedClient extends StdioStreams {
  readonly message: string;
  /** The error code, and the next step. */
  readonly data: { readonly code: string; readonly next: string };
}

/**
 * Answers every request of a client with one error until its input ends. Clients show the error of `initialize`, but for a program that
 * exits they only show that the connection was closed.
 */
export async function refuseStdio({ message, data, ...streams }: RefusedClient): Promise<void> {
  const error = new WireError(wireCodes.server, message, data);
  const { output } = streams;
  const answer = (id: RequestId | null): void => {
    if (!output.destroyed && !output.writableEnded) output.write(`${errorText(id, error)}\n`);
  };
  const reader = new MessageReader({
    maxMessageBytes,
    onMessage(received) {
      // Notifications and responses have no answer.
      if ('method' in received && 'id' in received) answer(idOf(received));
    },
    onNoise: () => answer(null),
    onTooLarge: () => answer(null),
  });
  await readUntilEnd(streams, reader);
}

/** Reads messages until the input ends or the signal is aborted. */
async function readUntilEnd({ input, signal }: StdioStreams, reader: MessageReader): Promise<void> {
  await new Promise<void>((resolve) => {
    input.on('data', (chunk: Buffer) => reader.read(chunk));
    for (const end of ['end', 'close', 'error']) input.once(end, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  input.pause();
}

/** Several messages on one line. */
class Batch {
  readonly messages: readonly unknown[];

  constructor(messages: readonly unknown[]) {
    this.messages = messages;
  }
}

const immediateMethods: ReadonlySet<string> = new Set(['initialize', 'ping', 'server/discover', 'logging/setLevel']);

const newline = Buffer.from('\n');

class StdioConnection implements ClientChannel {
  readonly canSend = true;
  readonly #options: StdioOptions;
  readonly #session: LegacySession;
  readonly #running = new KeyedSlotMap<RequestId, LightAbortSignal>();
  readonly #listening = new Map<RequestId, ChangeSubscription>();
  readonly #pending = new SlotMap<Promise<unknown>>();

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#session = options.endpoint.session(options.peer, this);
  }

  send(text: string): void {
    this.#write(text);
  }

  receive(value: object): void {
    let message: WireMessage;
    try {
      message = readMessage(value);
    } catch (error) {
      this.#write(errorText(idOf(value), toWireError(error, this.#options.log)));
      return;
    }
    if (message.kind === 'request') this.#track(this.#serve(message));
    else this.#receiveOther(message);
  }

  /** Handles a batch. */
  receiveAll(messages: readonly unknown[]): void {
    const serve = async (message: WireMessage): Promise<string | Buffer | undefined> => {
      if (message.kind === 'request') return replyText(message.id, await this.#session.serve(message, this));
      this.#receiveOther(message);
      return undefined;
    };
    const { log, ready } = this.#options;
    const { version } = this.#session;
    this.#track(
      Promise.resolve(ready)
        .then(() => serveBatch(messages, { version, serve, log }))
        .then(
          (text) => text !== undefined && this.#write(text),
          (error: unknown) => this.refuse(error),
        ),
    );
  }

  /** Sends an error response without an id, for input that is not a request. */
  refuse(error: unknown): void {
    this.#write(errorText(null, toWireError(error, this.#options.log)));
  }

  async close(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, graceMs)));
    await Promise.race([Promise.all(this.#pending), late]);
    clearTimeout(timer);
    for (const stop of this.#running.values()) stop.abort(new DOMException('the client is gone', 'AbortError'));
    for (const listening of this.#listening.values()) listening.stop();
    this.#session.close();
    await Promise.all(this.#pending);
  }

  #track(work: Promise<unknown>): void {
    const slot = this.#pending.add(work.finally(() => this.#pending.remove(slot)));
  }

  #receiveOther(message: Exclude<WireMessage, WireRequest>): void {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled')
      this.#cancel(message.params['requestId']);
    this.#session.receive(message);
  }

  async #serve(message: WireRequest): Promise<void> {
    const { id, method } = message;
    try {
      if (!immediateMethods.has(method)) await this.#options.ready;
      const isModern = envelopeVersion(message.params) !== undefined;
      const answer = isModern ? await this.#modern(message) : await this.#session.serve(message, this);
      if (answer !== undefined) this.#write(replyText(id, answer));
    } catch (error) {
      this.#write(errorText(id, toWireError(error, this.#options.log)));
    }
  }

  async #modern(message: WireRequest): Promise<Answer | undefined> {
    const { endpoint } = this.#options;
    const { id, method } = message;
    const peer = this.#peerOf(message);
    if (this.#running.has(id)) throw new WireError(wireCodes.request, `a request with the id ${id} is in progress`);
    const stop = new LightAbortSignal();
    this.#running.set(id, stop);
    try {
      if (method !== 'subscriptions/listen') return await endpoint.serve(message, peer, this, stop);
      this.#listening.set(id, await endpoint.listen(message, peer, this));
      return undefined;
    } finally {
      this.#running.delete(id);
    }
  }

  /** Returns the peer of a request, which names its client itself in this revision. */
  #peerOf({ params }: WireRequest): Peer {
    const { peer } = this.#options;
    if (peer.principalOf === undefined) return peer;
    return { ...peer, principal: peer.principalOf(parseEnvelope(params).client) };
  }

  #cancel(id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#running.get(id)?.abort(new DOMException('the client cancelled its request', 'AbortError'));
    this.#listening.get(id)?.stop();
    this.#listening.delete(id);
  }

  #write(text: string | Buffer): void {
    const { input, output } = this.#options;
    if (output.destroyed || output.writableEnded) return;
    // Backpressure: stop reading from a client that does not read.
    if (!output.write(typeof text === 'string' ? `${text}\n` : Buffer.concat([text, newline])) && !input.isPaused()) {
      input.pause();
      output.once('drain', () => input.resume());
    }
  }
}
