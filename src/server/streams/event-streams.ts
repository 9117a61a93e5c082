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

/** A server-sent event. Clients resume after the `id` of the last one that they received. */
export interface StreamMessage {
  readonly id?: number;
  readonly event: string;
  readonly data: object;
}

/** Formats an event. JSON text contains no line breaks and escapes lone surrogates, so any data fits in one `data` line. */
export function toEventFrame({ id, event, data }: StreamMessage): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The content of a stream. */
export interface OpenedStream {
  /** The id from which a client resumes that disconnects before the first event. */
  readonly after?: number | undefined;
  /** Events that `toEventFrame` formatted. Read with backpressure: the next one only when the client has received the previous ones. */
  readonly frames: AsyncIterable<string>;
}

/** Options of `EventStreams`. */
export interface EventStreamOptions {
  /** Aborted to end all streams. */
  readonly stopping: AbortSignal;
  /** Logs errors that occur while a stream is open. */
  readonly log: (line: string) => void;
  /** The maximum of open streams for one principal. */
  readonly maxPerPrincipal?: number;
  readonly heartbeatMs?: number;
}

const retryMs = 2000;
/** A comment, which clients ignore. */
export const heartbeatFrame = ':\n\n';
export const defaultHeartbeatMs = 15_000;
/** The headers of every event stream. */
export const eventStreamHeaders = {
  ...securityHeaders,
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Disables buffering by proxies, which would delay events.
  'X-Accel-Buffering': 'no',
};

/** Sends streams of server-sent events, and ends them when the server stops. */
export class EventStreams {
  readonly #open = new Map<string, Set<AbortController>>();
  readonly #stopping: AbortSignal;
  readonly #maxPerPrincipal: number;
  readonly #heartbeatMs: number;
  readonly #log: (line: string) => void;

  constructor({ stopping, log, maxPerPrincipal = 100, heartbeatMs = defaultHeartbeatMs }: EventStreamOptions) {
    this.#stopping = stopping;
    this.#maxPerPrincipal = maxPerPrincipal;
    this.#heartbeatMs = heartbeatMs;
    this.#log = log;
    stopping.addEventListener('abort', () => {
      for (const streams of this.#open.values()) for (const stream of streams) stream.abort();
    });
  }

  /**
   * Responds with the stream that `open` returns. The signal aborts when the client disconnects or the server stops. An error of
   * `open` becomes a problem response.
   */
  async respond(context: ServerContext, open: (signal: AbortSignal) => Promise<OpenedStream>): Promise<Response> {
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
      throw new Problem('box-closed', 'the server is stopping; try again when it has restarted', {
        headers: { 'Retry-After': '1' },
      });
    }
    const own = this.#open.get(principal) ?? new Set();
    if (own.size >= this.#maxPerPrincipal) {
      throw new Problem(
        'streams-exhausted',
        `${principal} has ${own.size} open streams, the maximum; close one first`,
        {
          headers: { 'Retry-After': '10' },
        },
      );
    }
    this.#open.set(principal, own.add(stream));
    return () => {
      if (own.delete(stream) && own.size === 0) this.#open.delete(principal);
    };
  }

  async #send(outgoing: ServerResponse, frames: AsyncIterable<string>, signal: AbortSignal): Promise<void> {
    let unread = 0;
    const heartbeats = setInterval(() => {
      if (!outgoing.writableNeedDrain) outgoing.write(heartbeatFrame);
      // The client received nothing since the last heartbeat. If it is alive, it reconnects and resumes.
      else if (outgoing.writableLength === unread) outgoing.destroy();
      unread = outgoing.writableLength;
    }, this.#heartbeatMs);
    const end = (): void => {
      clearInterval(heartbeats);
      outgoing.end();
    };
    // Ends the response at once, because `frames` may react late to the signal.
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    try {
      for await (const frame of frames) {
        if (signal.aborted) break;
        if (!outgoing.write(frame)) await once(outgoing, 'drain', { signal });
      }
    } catch (error) {
      // A client that does not read would delay the end of the server.
      if (signal.aborted) outgoing.destroy();
      // The response has started, so the error is only logged; the client reconnects and resumes.
      else toProblem(error, this.#log);
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }
}

/** Formats an event for the stream of its session. */
export function toSessionFrame(event: SessionEvent): string {
  return toEventFrame({ id: event.seq, event: event.type, data: event });
}
