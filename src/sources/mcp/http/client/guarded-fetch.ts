import type { IncomingHttpHeaders } from 'node:http';
import { Readable, Transform, pipeline } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { FetchLike } from '@modelcontextprotocol/client';
import type { Agent } from 'undici';
import { tooLarge } from '../http-errors.ts';
import { assertOtherInstance } from './http-client-request.ts';

/** A `fetch` for one server, and a function that closes its connections. */
export interface GuardedFetch {
  readonly fetch: FetchLike;
  close(): void;
}

const withoutBody = new Set([204, 205, 304]);

/**
 * Creates a `fetch` that connects to private addresses only when one of the given URLs names them, follows no redirect and limits the
 * size of responses. Tool calls do not use it; they go through the Streamable HTTP transport.
 */
export function createGuardedFetch(
  configured: URL,
  maxResponseBytes: number,
  others: readonly URL[] = [],
): GuardedFetch {
  let agent: Promise<Agent> | undefined;
  // `undici` is loaded with the first request.
  const open = async (): Promise<Agent> => {
    const { createGuardedAgent } = await import('./guarded-agent.ts');
    return createGuardedAgent([configured, ...others]);
  };
  return {
    async fetch(given, init = {}) {
      const url = new URL(given);
      const { auth } = urlToHttpOptions(url);
      const headers = new Headers(init.headers);
      if (auth && !headers.has('authorization'))
        headers.set('authorization', `Basic ${Buffer.from(auth).toString('base64')}`);
      const { statusCode, statusText, ...response } = await (
        await (agent ??= open())
      ).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: init.method ?? 'GET',
        headers: Object.fromEntries(headers),
        body: typeof init.body === 'string' ? init.body : null,
        signal: init.signal ?? undefined,
      });
      assertOtherInstance(response.headers, url);
      return await toResponse(
        response.body,
        { status: statusCode, statusText, headers: response.headers },
        maxResponseBytes,
      );
    },
    close() {
      void agent?.then((opened) => opened.destroy());
    },
  };
}

interface ResponseHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
}

async function toResponse(incoming: Readable, head: ResponseHead, maxBytes: number): Promise<Response> {
  const { status, statusText } = head;
  const headers = new Headers();
  for (const [name, value] of Object.entries(head.headers))
    for (const each of [value].flat()) if (each !== undefined) headers.append(name, each);
  if (withoutBody.has(status)) {
    incoming.resume();
    return new Response(null, { status, statusText, headers });
  }
  // Anything but a success is read as a whole, whatever its type.
  const isStream = status < 300 && headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = isStream ? eventsOf(incoming, maxBytes) : await readAll(incoming, maxBytes);
  return new Response(body, { status, statusText, headers });
}

function eventsOf(incoming: Readable, maxBytes: number): ReadableStream<Uint8Array> {
  const events = pipeline(incoming, limitEventSize(maxBytes), () => undefined);
  return Readable.toWeb(events) as ReadableStream<Uint8Array>;
}

async function readAll(incoming: Readable, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge('the response', maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The ends of an event: an empty line, for each kind of line ending. */
const emptyLines = ['\n\n', '\n\r\n', '\r\r'];
const maxEndLength = 3;

/** Creates a transform that passes an event stream on and fails when one event is too large, since its reader buffers whole events. */
export function limitEventSize(maxBytes: number): Transform {
  let size = 0;
  let before = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const begun = afterLastEnd(chunk);
      if (begun !== undefined) size = chunk.length - begun;
      else if (afterLastEnd(Buffer.concat([before, chunk.subarray(0, maxEndLength)])) !== undefined)
        size = chunk.length;
      else size += chunk.length;
      before = Buffer.concat([before, chunk.subarray(-maxEndLength)]).subarray(1 - maxEndLength);
      if (size <= maxBytes) done(null, chunk);
      else done(tooLarge('an event of the response', maxBytes));
    },
  });
}

/** Returns the offset after the last complete event. */
function afterLastEnd(chunk: Buffer): number | undefined {
  const ends = emptyLines.flatMap((end) => {
    const at = chunk.lastIndexOf(end);
    return at === -1 ? [] : at + end.length;
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
