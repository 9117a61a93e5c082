import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable, pipeline } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { FetchLike } from '@modelcontextprotocol/client';
import { instance } from '../../../core/mcp-protocol.ts';
import { namesInside, publicLookup, refuseAddress } from './address-guard.ts';
import type { Ask } from './ask.ts';
import { boundedEvents } from './bounded-events.ts';
import { KeptSockets } from './kept-sockets.ts';

/** A `fetch` for one server, and how to let go of its connections. */
export interface GuardedFetch {
  readonly fetch: FetchLike;
  /** The same for who calls one address often, and needs no `Response`. Throws when the address may not be asked. */
  socketsTo(url: URL): KeptSockets;
  close(): void;
}

// Not imported: the names of the module as an ES module include those that load all of `fetch`.
const { Agent: HttpAgent, request: requestHttp } = process.getBuiltinModule('node:http');

const withoutBody = new Set([204, 205, 304]);

/**
 * A `fetch` that connects to addresses inside only when a configured URL itself names one, and follows no redirect
 * (the SDK follows those within the origin, one request for each). On `node:http`, which lets the address be checked
 * when it is connected to, and costs less than the global `fetch`.
 */
export function guardedFetch(configured: URL, largestAnswer: number, others: readonly URL[] = []): GuardedFetch {
  const settings = { keepAlive: true };
  const agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent(settings) };
  const hosts = [configured, ...others].map(({ hostname }) => hostname);
  const insideHosts = new Set(hosts.filter((hostname) => namesInside(hostname)));
  const kept: KeptSockets[] = [];

  /** How names are looked up for an address, if it may be asked. */
  const lookupFor = ({ hostname }: URL): { lookup?: LookupFunction } => {
    // A redirect within the origin may still leave the host that was configured: from example.org to www.example.org.
    if (insideHosts.has(hostname)) return {};
    refuseAddress(hostname);
    return { lookup: publicLookup };
  };

  const at = (url: URL): Ask => {
    const secure = url.protocol === 'https:';
    if (!secure && url.protocol !== 'http:') throw new Error(`${url.protocol} is not a protocol of the web`);
    const { hostname, port, path, auth } = urlToHttpOptions(url);
    // Copied several times for each request: no more than is needed.
    const place: RequestOptions = {
      hostname,
      port,
      path,
      agent: secure ? agents['https:'] : agents['http:'],
      ...(auth === undefined ? {} : { auth }),
      ...lookupFor(url),
    };
    const open = secure ? requestHttps : requestHttp;
    return (given, body, answered, failed) => {
      const request = open({ ...place, ...given });
      request.on('response', (response) => {
        if (response.headers[instance.header] === instance.id) request.destroy(itself(url));
        else answered(response);
      });
      request.on('error', failed);
      request.end(body);
      return request;
    };
  };

  const fetch: FetchLike = async (given, init = {}) => {
    const request = {
      method: init.method ?? 'GET',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(init.signal ? { signal: init.signal } : {}),
    };
    const body = typeof init.body === 'string' ? init.body : undefined;
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      at(new URL(given))(request, body, resolve, reject);
    });
    return await responseOf(incoming, largestAnswer);
  };

  return {
    fetch,
    socketsTo(url) {
      const sockets = new KeptSockets({ url, ...lookupFor(url), byNode: at(url), largestAnswer });
      kept.push(sockets);
      return sockets;
    },
    close() {
      for (const each of kept) each.close();
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

function readAnswer(incoming: IncomingMessage, largest: number): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => takeAnswer(incoming, largest, resolve, reject));
}

/** An answer in one piece: cheaper as such than as a stream. Only the first thing that is told counts. */
export function takeAnswer(
  incoming: IncomingMessage,
  largest: number,
  taken: (body: Buffer<ArrayBuffer>) => void,
  failed: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= largest) chunks.push(chunk);
    else incoming.destroy(new Error(`the answer is larger than ${Math.round(largest / 1024 / 1024)} MB`));
  });
  incoming.on('end', () => taken(Buffer.concat(chunks)));
  incoming.on('error', failed);
  incoming.on('close', () => {
    if (!incoming.readableEnded) failed(new Error('the answer was cut off'));
  });
}
