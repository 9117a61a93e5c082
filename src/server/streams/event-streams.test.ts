import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import fc from 'fast-check';
import { Hono } from 'hono';
import { openStream, take } from '../../../test/support/http/event-stream.ts';
import { runSeed } from '../../../test/support/seeded.ts';
import { within } from '../../../test/support/within.ts';
import type { ServerEnvironment } from '../http/server-context.ts';
import { Problem } from '../problems/problem.ts';
import { EventStreams, type OpenedStream, type EventStreamOptions, toEventFrame } from './event-streams.ts';

interface StreamServer {
  readonly url: string;
  readonly logged: string[];
  stop(): void;
}

/** Starts a server with one stream. The header `x-principal` names the principal. */
async function startStreamServer(
  test: TestContext,
  open: (signal: AbortSignal) => AsyncIterable<string> | Promise<OpenedStream>,
  { before, ...options }: Partial<EventStreamOptions> & { before?: (response: ServerResponse) => Promise<void> } = {},
): Promise<StreamServer> {
  const stopping = new AbortController();
  const logged: string[] = [];
  const streams = new EventStreams({ stopping: stopping.signal, log: (line) => void logged.push(line), ...options });
  const app = new Hono<ServerEnvironment>();
  app.onError((error, context) =>
    error instanceof Problem ? context.json(error.document(), error.status, error.headers) : context.text('fault', 500),
  );
  app.get('/', async (context) => {
    if (context.req.header('x-leaves') !== undefined) await before?.(context.env.outgoing);
    context.set('principal', { id: context.req.header('x-principal') ?? 'alice', kind: 'human' });
    return streams.respond(context, async (signal) => {
      const opened = open(signal);
      return opened instanceof Promise ? await opened : { frames: opened };
    });
  });
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, logged, stop: () => stopping.abort() };
}

/** Yields nothing until the signal is aborted. */
async function* silence(signal: AbortSignal): AsyncGenerator<string> {
  if (!signal.aborted) await once(signal, 'abort');
  yield* [];
}

async function dataOf(stream: AsyncIterable<{ data: string }>): Promise<unknown[]> {
  const data: unknown[] = [];
  for await (const message of stream) data.push(JSON.parse(message.data));
  return data;
}

describe('stream of server-sent events', () => {
  it('does not count for a client that disconnected before the response', async (test) => {
    const arrived = Promise.withResolvers<void>();
    const disconnected = Promise.withResolvers<void>();
    const { url } = await startStreamServer(test, silence, {
      maxPerPrincipal: 1,
      before: async (response) => {
        arrived.resolve();
        if (!response.closed) await once(response, 'close');
        disconnected.resolve();
      },
    });
    const disconnect = new AbortController();
    const request = fetch(url, { signal: disconnect.signal, headers: { 'x-leaves': 'yes' } }).catch(() => undefined);
    await arrived.promise;
    disconnect.abort();
    await Promise.all([request, disconnected.promise]);
    await delay(20);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  });

  it('is closed when the client reads nothing between two heartbeats', async (test) => {
    const ended = Promise.withResolvers<void>();
    const { url } = await startStreamServer(
      test,
      async function* (signal) {
        signal.addEventListener('abort', () => ended.resolve(), { once: true });
        const text = 'x'.repeat(100_000);
        for (let id = 0; !signal.aborted; id += 1) yield toEventFrame({ id, event: 'x', data: { text } });
      },
      { heartbeatMs: 100 },
    );
    const stream = await openStream(url);
    await within(ended.promise, 'the end of the stream');
    stream.drop();
  });

  it('transports any text, with all line breaks, lone surrogates and empty strings', async (test) => {
    let texts: readonly string[] = [];
    const { url } = await startStreamServer(test, async function* () {
      for (const [index, text] of texts.entries()) yield toEventFrame({ id: index + 1, event: 'text', data: { text } });
    });
    const hard = fc.constantFrom(
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\u2028',
      '\uD800',
      '\uDC00',
      '\0',
      'data: x',
      ':',
      '\uFEFF',
    );
    const text = fc.array(fc.oneof(hard, fc.string({ unit: 'binary' }))).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (sent) => {
        texts = sent;
        const stream = await openStream(url);
        assert.deepEqual(
          await dataOf(stream),
          sent.map((each) => ({ text: each })),
        );
        assert.equal(stream.lastEventId(), sent.length === 0 ? '' : String(sent.length));
      }),
      { seed: runSeed, numRuns: 60 },
    );
  });

  it('starts with its id and the retry time, and disables caching and buffering', async (test) => {
    const { url } = await startStreamServer(test, async (signal) => ({ after: 41, frames: silence(signal) }));
    const response = await fetch(url);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const first = await response.body?.getReader().read();
    assert.equal(new TextDecoder().decode(first?.value), 'retry: 2000\nid: 41\n\n');
  });

  it('sends heartbeats', async (test) => {
    const { url } = await startStreamServer(test, silence, { heartbeatMs: 5 });
    const stream = await openStream(url);
    void dataOf(stream);
    while (stream.comments() < 3) await delay(5);
    stream.drop();
  });

  it('applies backpressure, and transports 100 MB completely', async (test) => {
    const piece = 'x'.repeat(64 * 1024);
    const pieces = (100 * 1024 * 1024) / piece.length;
    let sent = 0;
    const { url } = await startStreamServer(test, async function* () {
      for (; sent < pieces; sent++) yield toEventFrame({ id: sent + 1, event: 'text', data: { text: piece } });
    });
    const stream = await openStream(url);
    let received = 0;
    let maxAhead = 0;
    for await (const { data } of stream) {
      assert.equal((JSON.parse(data) as { text: string }).text.length, piece.length);
      received += 1;
      // Pauses long enough to fill all buffers on the path.
      if (received % 400 === 1) await delay(100);
      maxAhead = Math.max(maxAhead, sent - received);
    }
    assert.equal(received, pieces);
    assert.ok(maxAhead * piece.length < 20 * 1024 * 1024, `${maxAhead} pieces ahead`);
  });

  it('closes its source when the client disconnects', async (test) => {
    const ended = Promise.withResolvers<void>();
    const { url } = await startStreamServer(test, async function* (signal) {
      try {
        yield toEventFrame({ event: 'first', data: {} });
        yield* silence(signal);
      } finally {
        ended.resolve();
      }
    });
    const stream = await openStream(url);
    await take(stream, 1);
    stream.drop();
    await ended.promise;
  });

  it('ends when the server stops, even if its source ignores the signal; new streams are refused', async (test) => {
    const { url, stop } = await startStreamServer(
      test,
      async function* () {
        yield toEventFrame({ event: 'here', data: {} });
        await new Promise(() => undefined);
      },
      { heartbeatMs: 5 },
    );
    const streams = await Promise.all([openStream(url), openStream(url)]);
    for (const stream of streams) await take(stream, 1);
    stop();
    for (const stream of streams) assert.deepEqual(await dataOf(stream), []);
    const late = await fetch(url);
    assert.deepEqual([late.status, late.headers.get('retry-after')], [503, '1']);
    // A heartbeat after the end would be an error.
    await delay(20);
  });

  it('is refused above the limit of a principal until one of its streams is closed', async (test) => {
    const { url } = await startStreamServer(test, silence, { maxPerPrincipal: 2 });
    const first = await openStream(url);
    await openStream(url);
    const refused = await fetch(url);
    assert.equal(refused.status, 429);
    assert.ok(refused.headers.has('retry-after'));
    assert.equal(((await refused.json()) as { code: string }).code, 'streams-exhausted');
    assert.equal((await openStream(url, { headers: { 'x-principal': 'bob' } })).status, 200);
    first.drop();
    for (;;) {
      const next = await openStream(url);
      if (next.status === 200) break;
      await delay(5);
    }
  });

  it('does not count after a HEAD request or a failed opening', async (test) => {
    let opened = 0;
    const { url } = await startStreamServer(
      test,
      (signal) => {
        opened += 1;
        if (opened > 3) return silence(signal);
        return Promise.reject(new Problem('session-unknown', 'no'));
      },
      { maxPerPrincipal: 1 },
    );
    for (let time = 0; time < 3; time++) assert.equal((await fetch(url)).status, 404);
    for (let time = 0; time < 3; time++) assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    assert.equal((await openStream(url)).status, 200);
  });

  it('ends on an error of its source, which is only logged', async (test) => {
    const { url, logged } = await startStreamServer(test, async function* () {
      yield toEventFrame({ id: 1, event: 'here', data: {} });
      throw new Error('the disk failed');
    });
    const stream = await openStream(url);
    assert.equal((await dataOf(stream)).length, 1);
    assert.equal(stream.lastEventId(), '1');
    assert.match(logged.join('\n'), /the disk failed/);
  });
});
