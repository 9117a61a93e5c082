import { messageOf } from '../../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { MessageReader } from '../../../process/message-reader.ts';

/** What the two ends of a channel are made of. */
export interface ControlChannelOptions {
  readonly maxFrameBytes: number;
  /** Writes one line. */
  write(line: string): void;
  /** What the CLI tells. */
  onMessage(message: JsonObject): void;
  /** What the CLI asks; a rejection is its answer too. The signal says that it does not want one any more. */
  onRequest(request: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** A frame that cannot be understood, and is skipped. */
  onBroken(why: string): void;
  /** A frame that is too large to be read: what it asked will not be answered. */
  onTooLarge(): void;
}

interface Asked {
  resolve(response: JsonObject): void;
  reject(error: Error): void;
}

/** The CLI's control protocol: one JSON frame on each line; both sides ask, tell, and take questions back. */
export class ControlChannel {
  readonly #options: ControlChannelOptions;
  readonly #reader: MessageReader;
  /** What we asked, by the id of the request. */
  readonly #asked = new Map<string, Asked>();
  /** What we were asked. */
  readonly #answering = new Map<string, AbortController>();
  #count = 0;
  #closed: Error | undefined;

  constructor(options: ControlChannelOptions) {
    this.#options = options;
    this.#reader = new MessageReader({
      maxMessageBytes: options.maxFrameBytes,
      onMessage: (frame) => this.#frame(frame as JsonObject),
      onNoise: (line) => options.onBroken(`it is no JSON object: ${line.slice(0, 200)}`),
      onTooLarge: () => options.onTooLarge(),
    });
  }

  /** Takes bytes as they come. */
  read(chunk: Buffer): void {
    this.#reader.read(chunk);
  }

  send(frame: object): void {
    if (this.#closed === undefined) this.#options.write(`${JSON.stringify(frame)}\n`);
  }

  /** Asks the CLI. */
  request(request: object): Promise<JsonObject> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    this.#count += 1;
    const request_id = `signalbox-${this.#count}`;
    return new Promise((resolve, reject) => {
      this.#asked.set(request_id, { resolve, reject });
      this.send({ type: 'control_request', request_id, request });
    });
  }

  /** Nothing comes any more and nothing is wanted. */
  close(why: string): void {
    this.#closed ??= new Error(why);
    for (const { reject } of this.#asked.values()) reject(this.#closed);
    this.#asked.clear();
    for (const answering of this.#answering.values()) answering.abort(this.#closed);
    this.#answering.clear();
  }

  #frame(frame: JsonObject): void {
    const type = word(frame['type']);
    switch (type) {
      case 'control_response':
        this.#answered(frame['response']);
        break;
      case 'control_request':
        this.#request(frame['request_id'], frame['request']);
        break;
      case 'control_cancel_request':
        this.#cancel(word(frame['request_id']));
        break;
      default:
        if (type !== '') this.#options.onMessage(frame);
        else this.#options.onBroken('it has no type');
    }
  }

  #answered(response: unknown): void {
    const { request_id, subtype, error, response: given } = isJsonObject(response) ? response : {};
    const asked = this.#asked.get(word(request_id));
    // An answer to nothing is harmless: the question was taken back, or another one asked it.
    if (asked === undefined) return;
    this.#asked.delete(word(request_id));
    if (subtype === 'success') asked.resolve(isJsonObject(given) ? given : {});
    else asked.reject(new Error(typeof error === 'string' ? error : 'Claude Code refused without a reason'));
  }

  #request(id: unknown, request: unknown): void {
    if (typeof id !== 'string' || !isJsonObject(request)) {
      this.#options.onBroken('it asks without an id or without a question');
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
    this.#answering.get(id)?.abort(new DOMException('Claude Code took the question back', 'AbortError'));
    this.#answering.delete(id);
  }
}

/** A frame may hold anything where a word should be. */
function word(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
