import { Agent as HttpAgent, type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable, pipeline } from 'node:stream';
import type { FetchLike } from '@modelcontextprotocol/client';
import { instance } from '../../../model/instance.ts';
import { namesInside, publicLookup, refuseAddress } from './address-guard.ts';
import { boundedEvents } from './bounded-events.ts';

/** A request without what the web wraps around it. */
export interface PlainRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A `fetch` for one server, and how to let go of its connections. */
export interface GuardedFetch {
  readonly fetch: FetchLike;
  /** The same for who needs no `Response`. */
  send(url: URL, request: PlainRequest): Promise<IncomingMessage>;
  close(): void;
}

const withoutBody = new Set([204, 205, 304]);

/**
 * A `fetch` that connects to addresses inside only when a configured URL itself names one, and follows no redirect
 * (the SDK follows those within the origin, one request for each). On `node:http`, which lets the address be checked
 * when it is connected to, and costs less than the global `fetch`.
 */
export function guardedFetch(configured: URL, largestAnswer: number, others: readonly URL[] = []): GuardedFetch {
  const settings = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY };
  const agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent(settings) };
  const hosts = [configured, ...others].map(({ hostname }) => hostname);
  const insideHosts = new Set(hosts.filter((hostname) => namesInside(hostname)));

  const send: GuardedFetch['send'] = (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const secure = url.protocol === 'https:';
      if (!secure && url.protocol !== 'http:') throw new Error(`${url.protocol} is not a protocol of the web`);
      // A redirect within the origin may still leave the host that was configured: from example.org to www.example.org.
      const isTrusted = insideHosts.has(url.hostname);
      if (!isTrusted) refuseAddress(url.hostname);
      const options: RequestOptions = {
        method,
        headers,
        agent: secure ? agents['https:'] : agents['http:'],
        ...(isTrusted ? {} : { lookup: publicLookup }),
        ...(signal === undefined ? {} : { signal }),
      };
      const request = (secure ? requestHttps : requestHttp)(url, options);
      request.once('response', (response) => {
        if (response.headers[instance.header] === instance.id) request.destroy(itself(url));
        else resolve(response);
      });
      request.on('error', reject);
      request.end(body);
    });

  const fetch: FetchLike = async (given, init = {}) => {
    const incoming = await send(new URL(given), {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === 'string' ? init.body : undefined,
      signal: init.signal ?? undefined,
    });
    return await responseOf(incoming, largestAnswer);
  };

  return {
    fetch,
    send,
    close() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

/** Mounted in itself, each tool would be listed once more with every change of the list. */
function itself({ origin, pathname }: URL): Error {
  const message = `${origin}${pathname} is this Signalbox itself; take this server out of its configuration`;
  return Object.assign(new Error(message), { code: 'SIGNALBOX_ITSELF' });
}

/** What came, as `fetch` gives it. */
export async function responseOf(incoming: IncomingMessage, largest: number): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers))
    for (const each of [value].flat()) if (each !== undefined) headers.append(name, each);
  if (withoutBody.has(status)) {
    incoming.resume();
    return new Response(null, { status, statusText, headers });
  }
  // What is no success is read as a whole, whatever it calls itself.
  const streams = status < 300 && headers.get('content-type')?.startsWith('text/event-stream') === true;
  const body = streams ? eventsOf(incoming, largest) : await readAnswer(incoming, largest);
  return new Response(body, { status, statusText, headers });
}

function eventsOf(incoming: IncomingMessage, largest: number): ReadableStream<Uint8Array> {
  // How either of them ends, the other does; whoever reads is told.
  const events = pipeline(incoming, boundedEvents(largest), () => undefined);
  return Readable.toWeb(events) as ReadableStream<Uint8Array>;
}

/** An answer in one piece: cheaper as such than as a stream. */
export function readAnswer(incoming: IncomingMessage, largest: number): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= largest) chunks.push(chunk);
      else incoming.destroy(new Error(`the answer is larger than ${Math.round(largest / 1024 / 1024)} MB`));
    });
    incoming.once('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    incoming.once('error', reject);
    incoming.once('close', () => {
      if (!incoming.readableEnded) reject(new Error('the answer was cut off'));
    });
  });
}
