import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import fc from 'fast-check';
import { Hono } from 'hono';
import { openStream, take } from '../../../test/support/event-stream.ts';
import { runSeed } from '../../../test/support/seeded.ts';
import { within } from '../../../test/support/within.ts';
import type { ServerEnvironment } from '../http/server-context.ts';
import { Problem } from '../problems/problem.ts';
import { EventStreams, type OpenedStream, type EventStreamOptions, toEventFrame } from './event-streams.ts';

interface Place {
  readonly url: string;
  readonly logged: string[];
  stop(): void;
}

/** A server with one stream. The header `x-principal` names the principal. */
async function place(
  test: TestContext,
  open: (signal: AbortSignal) => AsyncIterable<string> | Promise<OpenedStream>,
  { before, ...options }: Partial<EventStreamOptions> & { before?: (response: ServerResponse) => Promise<void> } = {},
): Promise<Place> {
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

async function all(stream: AsyncIterable<{ data: string }>): Promise<unknown[]> {
  const data: unknown[] = [];
  for await (const message of stream) data.push(JSON.parse(message.data));
  return data;
}

describe('a stream of server-sent events', () => {
  it('leaves nothing open for a client that disconnected before the response', async (test) => {
    const arrived = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const { url } = await place(test, silence, {
      maxPerPrincipal: 1,
      before: async (response) => {
        arrived.resolve();
        if (!response.closed) await once(response, 'close');
        gone.resolve();
      },
    });
    const leaving = new AbortController();
    const left = fetch(url, { signal: leaving.signal, headers: { 'x-leaves': 'yes' } }).catch(() => undefined);
    await arrived.promise;
    leaving.abort();
    await Promise.all([left, gone.promise]);
    await delay(20);
    const response = await fetch(url);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  });

  it('is closed when its client reads nothing between two heartbeats', async (test) => {
    const cutOff = Promise.withResolvers<void>();
    const { url } = await place(
      test,
      async function* (signal) {
        signal.addEventListener('abort', () => cutOff.resolve(), { once: true });
        const text = 'x'.repeat(100_000);
        for (let id = 0; !signal.aborted; id += 1) yield toEventFrame({ id, event: 'x', data: { text } });
      },
      { heartbeatMs: 100 },
    );
    const stream = await openStream(url);
    await within(cutOff.promise, 'the end of the stream');
    stream.drop();
  });

  it('carries any text: all line breaks, lone surrogates, empty strings', async (test) => {
    let texts: readonly string[] = [];
    const { url } = await place(test, async function* () {
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
          await all(stream),
          sent.map((each) => ({ text: each })),
        );
        assert.equal(stream.lastEventId(), sent.length === 0 ? '' : String(sent.length));
      }),
      { seed: runSeed, numRuns: 60 },
    );
  });

  it('starts with its id and retry time, and disables caching and buffering', async (test) => {
    const { url } = await place(test, async (signal) => ({ after: 41, frames: silence(signal) }));
    const response = await fetch(url);
    assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    const first = await response.body?.getReader().read();
    assert.equal(new TextDecoder().decode(first?.value), 'retry: 2000\nid: 41\n\n');
  });

  it('sends heartbeats', async (test) => {
    const { url } = await place(test, silence, { heartbeatMs: 5 });
    const stream = await openStream(url);
    void all(stream);
    while (stream.comments() < 3) await delay(5);
    stream.drop();
  });

  it('applies backpressure, and delivers 100 MB completely', async (test) => {
    const piece = 'x'.repeat(64 * 1024);
    const pieces = (100 * 1024 * 1024) / piece.length;
    let made = 0;
    const { url } = await place(test, async function* () {
      for (; made < pieces; made++) yield toEventFrame({ id: made + 1, event: 'text', data: { text: piece } });
    });
    const stream = await openStream(url);
    let received = 0;
    let furthest = 0;
    for await (const { data } of stream) {
      assert.equal((JSON.parse(data) as { text: string }).text.length, piece.length);
      received += 1;
      // The reader pauses now and then, long enough to fill all buffers on the path.
      if (received % 400 === 1) await delay(100);
      furthest = Math.max(furthest, made - received);
    }
    assert.equal(received, pieces);
    assert.ok(furthest * piece.length < 20 * 1024 * 1024, `${furthest} pieces ahead`);
  });

  it('ends its source when the client disconnects', async (test) => {
    const ended = Promise.withResolvers<void>();
    const { url } = await place(test, async function* (signal) {
      try {
        yield toEventFrame({ event: 'here', data: {} });
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

  it('ends with the server, even if its source ignores the signal; new streams are refused', async (test) => {
    const { url, stop } = await place(
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
    for (const stream of streams) assert.deepEqual(await all(stream), []);
    const late = await fetch(url);
    assert.deepEqual([late.status, late.headers.get('retry-after')], [503, '1']);
    // A heartbeat after the end would be an error.
    await delay(20);
  });

  it('is limited for each principal, until one is closed', async (test) => {
    const { url } = await place(test, silence, { maxPerPrincipal: 2 });
    const first = await openStream(url);
    await openStream(url);
    const refused = await fetch(url);
    assert.equal(refused.status, 429);
    assert.ok(refused.headers.has('retry-after'));
    assert.equal(((await refused.json()) as { code: string }).code, 'streams-exhausted');
    assert.equal((await openStream(url, { headers: { 'x-principal': 'bob' } })).status, 200);
    first.drop();
    for (;;) {
      const again = await openStream(url);
      if (again.status === 200) break;
      await delay(5);
    }
  });

  it('does not count after a HEAD request or a failed start', async (test) => {
    let opened = 0;
    const { url } = await place(
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

  it('ends on an error, which only the operator sees', async (test) => {
    const { url, logged } = await place(test, async function* () {
      yield toEventFrame({ id: 1, event: 'here', data: {} });
      throw new Error('the disk is gone');
    });
    const stream = await openStream(url);
    assert.equal((await all(stream)).length, 1);
    assert.equal(stream.lastEventId(), '1');
    assert.match(logged.join('\n'), /the disk is gone/);
  });
});
