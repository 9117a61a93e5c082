import { gatewayInstance } from '../../../../core/mcp-protocol.ts';
import type { ClientChannel } from '../../requests/request-context.ts';

/** With more unread bytes than this, progress and log messages are dropped. */
const maxUnreadOptionalBytes = 64 * 1024;
/** With more unread bytes than this, the connection is closed; the client can resume. A single message may have any size. */
export const maxUnreadBytes = 4 * maxUnreadOptionalBytes;
/** The same limit for the HTTP+SSE transport, whose clients cannot resume and get all responses on one stream. */
export const maxUnreadSseBytes = 8 * 1024 * 1024;
const optionalMessage = /^\{"jsonrpc":"2\.0","method":"notifications\/(?:progress|message)"/;

/** Alternating header names and values, which Node writes without processing. */
export type HeaderList = string[];

/** The headers of every response of the endpoint. */
export const answerHeaders: HeaderList = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  gatewayInstance.header,
  gatewayInstance.id,
];

/** The headers of every event stream. */
export const streamHeaders = [...answerHeaders, 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no'];

interface BufferedEvent {
  readonly number: number;
  readonly text: string;
}

/** Options of the replay buffer for clients that lose the stream. */
export interface ReplayOptions {
  /** The stream’s name in the ids of its events. */
  readonly name: string;
  readonly maxEvents: number;
  readonly maxBytes: number;
  /** Whether the client supports an initial event without data, whose id it can resume from. */
  readonly primes: boolean;
  /** Called when all events were sent. */
  delivered?(): void;
}

/** The response that a stream is written to, of this process or of another. */
export interface StreamOutlet {
  readonly writableLength: number;
  writeHead(status: number, headers: HeaderList): unknown;
  flushHeaders(): void;
  write(text: string): unknown;
  end(ended?: () => void): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** A stream of events to a client; with `replay`, one that the client can resume where it lost it. */
export class EventStream implements ClientChannel {
  readonly canSend = true;
  readonly #replay: ReplayOptions | undefined;
  readonly #maxUnread: number;
  readonly #buffered: BufferedEvent[] = [];
  #bufferedBytes = 0;
  #last = 0;
  /** The number of the last event that was written to a response. */
  #sent = 0;
  #isOver = false;
  #response: StreamOutlet | undefined;

  constructor(replay?: ReplayOptions, maxUnread = maxUnreadBytes) {
    this.#replay = replay;
    this.#maxUnread = maxUnread;
  }

  get isAttached(): boolean {
    return this.#response !== undefined;
  }

  /** Writes to this response from now on, beginning after the event of that number. */
  attach(response: StreamOutlet, headers: HeaderList, after?: number): void {
    this.#response?.end();
    this.#response = response;
    response.writeHead(200, [...streamHeaders, ...headers]);
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
    const known = after ?? this.#sent;
    if (after === undefined && this.#replay?.primes === true) response.write(`id: ${this.#id(known)}\ndata: \n\n`);
    else response.flushHeaders();
    // Replays the events that were sent while no response was attached.
    for (const { number, text } of this.#buffered) if (number > known) this.#write(response, number, text);
    if (this.#isOver) this.#finish(response);
  }

  send(text: string): void {
    if (this.#isOver) return;
    const response = this.#response;
    const unread = response?.writableLength ?? 0;
    if (unread > maxUnreadOptionalBytes && optionalMessage.test(text)) return;
    this.#last += 1;
    if (this.#replay !== undefined) this.#buffer(this.#replay, { number: this.#last, text });
    if (unread > this.#maxUnread) response?.destroy();
    else if (response !== undefined) this.#write(response, this.#last, text);
  }

  /** Sends the last message, if there is one, and ends. */
  end(text?: string): void {
    if (text !== undefined) this.send(text);
    this.#isOver = true;
    if (this.#response !== undefined) this.#finish(this.#response);
  }

  /** Sends a comment, so that proxies keep the stream open. */
  beat(): void {
    this.#response?.write(': \n\n');
  }

  #finish(response: StreamOutlet): void {
    response.end(() => this.#replay?.delivered?.());
  }

  #write(response: StreamOutlet, number: number, text: string): void {
    this.#sent = Math.max(this.#sent, number);
    const id = this.#replay === undefined ? '' : `id: ${this.#id(number)}\n`;
    response.write(`event: message\n${id}data: ${text}\n\n`);
  }

  #buffer({ maxEvents, maxBytes }: ReplayOptions, event: BufferedEvent): void {
    this.#buffered.push(event);
    this.#bufferedBytes += event.text.length;
    while (this.#buffered.length > maxEvents || this.#bufferedBytes > maxBytes)
      this.#bufferedBytes -= this.#buffered.shift()?.text.length ?? 0;
  }

  #id(number: number): string {
    return `${this.#replay?.name ?? ''}-${number}`;
  }
}
