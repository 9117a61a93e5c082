import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { MessageReader } from '../../../process/message-reader.ts';

/** Options of `ControlChannel`. */
export interface ControlChannelOptions {
  readonly maxFrameBytes: number;
  /** Writes one line. */
  write(line: string): void;
  /** Handles a message of the CLI. */
  onMessage(message: JsonObject): void;
  /** Serves a request of the CLI. A rejection becomes an error response. The signal is aborted when the CLI cancels the request. */
  onRequest(request: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Reports an invalid frame, which is skipped. */
  onBroken(why: string): void;
  /** Reports a frame over the size limit. If it was a request, it gets no response. */
  onTooLarge(): void;
}

interface PendingRequest {
  resolve(response: JsonObject): void;
  reject(error: Error): void;
}

/** The CLI's control protocol: one JSON frame per line, with requests, responses, cancellations and messages in both directions. */
export class ControlChannel {
  readonly #options: ControlChannelOptions;
  readonly #reader: MessageReader;
  /** Our requests without a response, by id. */
  readonly #pending = new Map<string, PendingRequest>();
  /** The CLI's requests in progress, by id. */
  readonly #answering = new Map<string, AbortController>();
  #count = 0;
  #closed: Error | undefined;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
    this.#reader = new MessageReader({
      maxMessageBytes: options.maxFrameBytes,
      onMessage: (frame) => this.#frame(frame as JsonObject),
      onNoise: (line) => options.onBroken(`not a JSON object: ${line.slice(0, 200)}`),
      onTooLarge: () => options.onTooLarge(),
    });
  }

  /** Parses a chunk of the CLI's output. */
  read(chunk: Buffer): void {
    this.#reader.read(chunk);
  }

  send(frame: object): void {
    if (this.#closed === undefined) this.#options.write(`${JSON.stringify(frame)}\n`);
  }

  /** Sends a request to the CLI. */
  request(request: object): Promise<JsonObject> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#count += 1;
    const request_id = `signalbox-${this.#count}`;
    return new Promise((resolve, reject) => {
      this.#pending.set(request_id, { resolve, reject });
      this.send({ type: 'control_request', request_id, request });
    });
  }

  /** Rejects all pending requests and cancels those in progress. */
  close(why: string): void {
    this.#closed ??= new Error(why);
    for (const { reject } of this.#pending.values()) reject(this.#closed);
    this.#pending.clear();
    for (const answering of this.#answering.values()) answering.abort(this.#closed);
    this.#answering.clear();
  }

  #frame(frame: JsonObject): void {
    const type = stringOf(frame['type']);
    switch (type) {
      case 'control_response':
        this.#receiveResponse(frame['response']);
        break;
      case 'control_request':
        this.#receiveRequest(frame['request_id'], frame['request']);
        break;
      case 'control_cancel_request':
        this.#cancel(stringOf(frame['request_id']));
        break;
      default:
        if (type !== '') this.#options.onMessage(frame);
        else this.#options.onBroken('a frame without a type');
    }
  }

  #receiveResponse(response: unknown): void {
    const { request_id, subtype, error, response: result } = isJsonObject(response) ? response : {};
    const pending = this.#pending.get(stringOf(request_id));
    // The request may have been cancelled.
    if (pending === undefined) return;
    this.#pending.delete(stringOf(request_id));
    if (subtype === 'success') pending.resolve(isJsonObject(result) ? result : {});
    else
      pending.reject(new Error(typeof error === 'string' ? error : 'Claude Code returned an error without a reason'));
  }

  #receiveRequest(id: unknown, request: unknown): void {
    if (typeof id !== 'string' || !isJsonObject(request)) {
      this.#options.onBroken('a request without an id or a body');
      return;
    }
    if (this.#answering.has(id)) return;
    const answering = new AbortController();
    this.#answering.set(id, answering);
    void this.#answer(id, request, answering.signal);
  }

  async #answer(request_id: string, request: JsonObject, signal: AbortSignal): Promise<void> {
    let response: object;
    try {
      response = { subtype: 'success', request_id, response: await this.#options.onRequest(request, signal) };
    } catch (error) {
      response = { subtype: 'error', request_id, error: messageOf(error) };
    }
    if (signal.aborted) return;
    this.#answering.delete(request_id);
    this.send({ type: 'control_response', response });
  }

  #cancel(id: string): void {
    this.#answering.get(id)?.abort(new DOMException('Claude Code cancelled the request', 'AbortError'));
    this.#answering.delete(id);
  }
}

/** Returns a string, or an empty one for any other value. */
function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
