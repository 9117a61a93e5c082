import type { SessionEvent } from '../../sessions/events/session-event.ts';
import { securityHeaders } from '../http/security-headers.ts';
import type { ServerContext } from '../http/server-context.ts';
import { Problem } from '../problems/problem.ts';
import { toProblem } from '../problems/to-problem.ts';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Returns whether a request accepts an event stream instead of JSON. */
export function acceptsEventStream(context: ServerContext): boolean {
  return /\btext\/event-stream\b/i.test(context.req.header('accept') ?? '');
}

/** What a client is sent; `id` is what it asks to go on from when it comes back. */
export interface StreamMessage {
  readonly id?: number;
  readonly event: string;
  readonly data: object;
}

/** A message as it goes over the wire. JSON text has no line breaks, and says lone surrogates in ASCII: any text at all fits in one line. */
export function toEventFrame({ id, event, data }: StreamMessage): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What a stream has to tell. */
export interface OpenedStream {
  /** Where it begins: what the client goes on from if it is cut off before the first message. */
  readonly after?: number | undefined;
  /** Messages as `toEventFrame` makes them. The next one is asked for when the client has taken those before. */
  readonly frames: AsyncIterable<string>;
}

/** How streams are held. */
export interface StreamOptions {
  /** Ends them all. */
  readonly stopping: AbortSignal;
  /** Where faults in the middle of a stream are told. */
  readonly log: (line: string) => void;
  /** How many one principal may have open. */
  readonly most?: number;
  readonly heartbeatMs?: number;
}

const retryMs = 2000;
const heartbeat = ':\n\n';
/** The headers of every event stream. */
export const eventStreamHeaders = {
  ...securityHeaders,
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies that gather an answer before they pass it on would hold events back.
  'X-Accel-Buffering': 'no',
};

/** Streams of server-sent events, all that are open. */
export class EventStreams {
  readonly #open = new Map<string, Set<AbortController>>();
  readonly #stopping: AbortSignal;
  readonly #most: number;
  readonly #heartbeatMs: number;
  readonly #log: (line: string) => void;

  constructor({ stopping, log, most = 100, heartbeatMs = 15_000 }: StreamOptions) {
    this.#stopping = stopping;
    this.#most = most;
    this.#heartbeatMs = heartbeatMs;
    this.#log = log;
    stopping.addEventListener('abort', () => {
      for (const streams of this.#open.values()) for (const stream of streams) stream.abort();
    });
  }

  /**
   * Answers with what `open` gives, until that ends, the client goes or the server stops: the signal says so. What `open`
   * throws is answered as a problem.
   */
  async answer(context: ServerContext, open: (signal: AbortSignal) => Promise<OpenedStream>): Promise<Response> {
    const { outgoing } = context.env;
    const stream = new AbortController();
    const leave = this.#enter(context.var.principal.id, stream);
    if (outgoing.closed) stream.abort();
    else outgoing.once('close', () => stream.abort());
    try {
      const opened = await open(stream.signal);
      if (context.req.method === 'HEAD') {
        stream.abort();
        return new Response(null, { headers: eventStreamHeaders });
      }
      outgoing.writeHead(200, eventStreamHeaders);
      outgoing.write(`retry: ${retryMs}\n${opened.after === undefined ? '' : `id: ${opened.after}\n`}\n`);
      void this.#send(outgoing, opened.frames, stream.signal).finally(leave);
      return RESPONSE_ALREADY_SENT;
    } finally {
      if (!outgoing.headersSent) leave();
    }
  }

  #enter(principal: string, stream: AbortController): () => void {
    if (this.#stopping.aborted) {
      throw new Problem('box-closed', 'the server stops; come back when it has started again', {
        headers: { 'Retry-After': '1' },
      });
    }
    const own = this.#open.get(principal) ?? new Set();
    if (own.size >= this.#most) {
      throw new Problem('streams-exhausted', `${own.size} streams are open for ${principal}; close one first`, {
        headers: { 'Retry-After': '10' },
      });
    }
    this.#open.set(principal, own.add(stream));
    return () => {
      if (own.delete(stream) && own.size === 0) this.#open.delete(principal);
    };
  }

  async #send(outgoing: ServerResponse, frames: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
    let unread = 0;
    const beating = setInterval(() => {
      if (!outgoing.writableNeedDrain) outgoing.write(heartbeat);
      // Nothing was taken since the last time: whoever is there comes back and goes on from the last message it got.
      else if (outgoing.writableLength === unread) outgoing.destroy();
      unread = outgoing.writableLength;
    }, this.#heartbeatMs);
    const end = (): void => {
      clearInterval(beating);
      outgoing.end();
    };
    // Not when the messages end: whoever makes them may be slow to hear that they are not wanted any more.
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      for await (const frame of frames) {
        if (signal.aborted) break;
        if (!outgoing.write(frame)) await once(outgoing, 'drain', { signal });
      }
    } catch (error) {
      // A client that takes nothing any more would hold up the end of the server.
      if (signal.aborted) outgoing.destroy();
      // The client cannot be told any more; it comes back and goes on from the last message it got.
      else toProblem(error, this.#log);
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
}

/** An event of a session in a stream of that session. */
export function toSessionFrame(event: SessionEvent): string {
  return toEventFrame({ id: event.seq, event: event.type, data: event });
}
