import { gatewayInstance } from '../../../../core/mcp-protocol.ts';
import type { ClientChannel } from '../../requests/request-context.ts';

/** A client that leaves as much lying with us is not told any more what can be left out: progress, and what is logged. */
const muchUnread = 64 * 1024;
/** One that leaves as much is cut off when there is more to tell; it can come back. A single message may be of any size. */
export const mostUnread = 4 * muchUnread;
/** The same limit for the HTTP+SSE transport, whose clients cannot resume and get all responses on one stream. */
export const maxUnreadSseBytes = 8 * 1024 * 1024;
const passing = /^\{"jsonrpc":"2\.0","method":"notifications\/(?:progress|message)"/;

/** Names and values in turn, as Node writes them out without looking at them. */
export type HeaderList = string[];

/** On every answer of the endpoint. */
export const answerHeaders: HeaderList = [
  'Cache-Control',
  'no-store',
  'X-Content-Type-Options',
  'nosniff',
  gatewayInstance.header,
  gatewayInstance.id,
];

/** On every stream of it. */
export const streamHeaders = [...answerHeaders, 'Content-Type', 'text/event-stream', 'X-Accel-Buffering', 'no'];

interface KeptEvent {
  readonly number: number;
  readonly text: string;
}

/** How a stream is kept for a client that loses it. */
export interface Keeping {
  /** The stream’s name in the ids of its events. */
  readonly name: string;
  readonly mostEvents: number;
  readonly mostBytes: number;
  /** Whether the client understands an event without a message, from which on it can resume. */
  readonly primes: boolean;
  /** Told when all of it was sent. */
  delivered?(): void;
}

/** Where a stream is written to: the answer to a request, of this process or of another one. */
export interface StreamOutlet {
  readonly writableLength: number;
  writeHead(status: number, headers: HeaderList): unknown;
  flushHeaders(): void;
  write(text: string): unknown;
  end(ended?: () => void): unknown;
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

/** A stream of events to a client; with `keeping`, one that the client can take up again where it lost it. */
export class EventStream implements ClientChannel {
  readonly canSend = true;
  readonly #keeping: Keeping | undefined;
  readonly #maxUnread: number;
  readonly #kept: KeptEvent[] = [];
  #keptBytes = 0;
  #last = 0;
  /** The last one that was written to somebody. */
  #sent = 0;
  #isOver = false;
  #response: StreamOutlet | undefined;

  constructor(keeping?: Keeping, maxUnread = mostUnread) {
    this.#keeping = keeping;
    this.#maxUnread = maxUnread;
  }

  get isAttached(): boolean {
    return this.#response !== undefined;
  }

  /** Writes to this response from now on, beginning with what came after the event of that number. */
  attach(response: StreamOutlet, headers: HeaderList, after?: number): void {
    this.#response?.end();
    this.#response = response;
    response.writeHead(200, [...streamHeaders, ...headers]);
    response.once('close', () => {
      if (this.#response === response) this.#response = undefined;
    });
    const known = after ?? this.#sent;
    if (after === undefined && this.#keeping?.primes === true) response.write(`id: ${this.#id(known)}\ndata: \n\n`);
    else response.flushHeaders();
    // What was said while nobody listened was not heard, whether the client knows of it or not.
    for (const { number, text } of this.#kept) if (number > known) this.#write(response, number, text);
    if (this.#isOver) this.#finish(response);
  }

  send(text: string): void {
    if (this.#isOver) return;
    const response = this.#response;
    const unread = response?.writableLength ?? 0;
    if (unread > muchUnread && passing.test(text)) return;
    this.#last += 1;
    if (this.#keeping !== undefined) this.#keep(this.#keeping, { number: this.#last, text });
    if (unread > this.#maxUnread) response?.destroy();
    else if (response !== undefined) this.#write(response, this.#last, text);
  }

  /** Says the last thing, if there is one, and ends. */
  end(text?: string): void {
    if (text !== undefined) this.send(text);
    this.#isOver = true;
    if (this.#response !== undefined) this.#finish(this.#response);
  }

  /** Shows those in between that the stream is alive. */
  beat(): void {
    this.#response?.write(': \n\n');
  }

  #finish(response: StreamOutlet): void {
    response.end(() => this.#keeping?.delivered?.());
  }

  #write(response: StreamOutlet, number: number, text: string): void {
    this.#sent = Math.max(this.#sent, number);
    const id = this.#keeping === undefined ? '' : `id: ${this.#id(number)}\n`;
    response.write(`event: message\n${id}data: ${text}\n\n`);
  }

  #keep({ mostEvents, mostBytes }: Keeping, event: KeptEvent): void {
    this.#kept.push(event);
    this.#keptBytes += event.text.length;
    while (this.#kept.length > mostEvents || this.#keptBytes > mostBytes)
      this.#keptBytes -= this.#kept.shift()?.text.length ?? 0;
  }

  #id(number: number): string {
    return `${this.#keeping?.name ?? ''}-${number}`;
  }
}
