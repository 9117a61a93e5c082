import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type IncomingMessage, type ServerResponse, createServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type { HttpRequestHead, HttpResponse } from '../../../surfaces/mcp/http/http-types.ts';
import { parseRequestHead } from './fast-request-head.ts';
import { FastHttp, type FastHttpOptions } from './fast-http.ts';

const limits = { headersMs: 30_000, requestMs: 60_000, keepAliveMs: 6000, bodyBytes: 5000 };

/** Responds with everything that was parsed from the request. */
function tell(way: string, { method, url, headers }: HttpRequestHead, response: HttpResponse, body: string): void {
  const told = JSON.stringify({ way, method, url, headers, body });
  response.writeHead(200, ['Content-Length', String(Buffer.byteLength(told))]).end(told);
}

/** Starts Node's HTTP server with `FastHttp` in front of it, unless that is disabled. */
async function serving(
  t: TestContext,
  options: Partial<FastHttpOptions> | 'long' = {},
): Promise<{ port: number; way: FastHttp | undefined; close(): Promise<unknown> }> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => tell('long', request, response, Buffer.concat(chunks).toString('latin1')));
    request.on('error', () => undefined);
  });
  const way =
    options === 'long'
      ? undefined
      : new FastHttp(server, {
          isHandled: (url) => url.startsWith('/mcp'),
          serve: (request, response, body) => tell('short', request, response, body.toString('latin1')),
          limits,
          ...options,
        });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    way?.closeAll();
    server.closeAllConnections();
  });
  const close = (): Promise<unknown> => {
    const closed = once(server, 'close');
    server.close();
    way?.closeIdle();
    return closed;
  };
  return { port: (server.address() as AddressInfo).port, way, close };
}

function post(body: string, more = '', path = '/mcp'): string {
  return `POST ${path} HTTP/1.1\r\nHost: here\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

interface Told {
  readonly status: number;
  readonly way?: string;
  readonly body?: string;
}

/** Parses the responses on a connection, in order. */
function answersIn(bytes: string): Told[] {
  const told: Told[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at) + 4;
    if (end < 4) break;
    const head = bytes.slice(at, end);
    const size = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const status = Number(head.slice(9, 12));
    const document = Buffer.from(bytes.slice(end, end + size), 'latin1').toString();
    told.push({ status, ...(status === 200 ? (JSON.parse(document) as object) : {}) });
    at = end + size;
  }
  return told;
}

/** Sends each chunk in a separate packet, and reads until the connection ends. */
async function exchange(
  port: number,
  pieces: readonly (string | Buffer)[],
  isOver = /"url":"\/last"/,
): Promise<Told[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let answers = '';
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    answers += chunk;
    if (isOver.test(answers)) socket.end();
  });
  const closed = once(socket, 'close');
  for (const piece of pieces) {
    if (socket.writable) socket.write(piece);
    if (pieces.length > 1) await delay(1);
  }
  await closed;
  return answersIn(answers);
}

const last = 'GET /last HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n';

/** Generates malformed requests, and some valid ones. */
const anyRequest = fc
  .record({
    start: fc.constantFrom(
      ...Array.from({ length: 20 }, () => 'POST /mcp HTTP/1.1'),
      'POST /mcp HTTP/1.0',
      'POST  /mcp HTTP/1.1',
      'POST /mcp HTTP/1.1 ',
      'POST /mcp?a=b#c HTTP/1.1',
      'POST /%6dcp/\u00e4 HTTP/1.1',
      'POST http://here/mcp HTTP/1.1',
      'post /mcp HTTP/1.1',
      'GET /mcp HTTP/1.1',
      '\r\nPOST /mcp HTTP/1.1',
    ),
    host: fc.constantFrom(
      'Host: here',
      'Host: here',
      'Host:\there ',
      'HOST: here',
      'host:here',
      'Host:',
      'Host: here\r\nHost: there',
      'X: y',
    ),
    lines: fc.array(
      fc.oneof(
        fc.constantFrom(
          'Connection: keep-alive',
          'Connection: Keep-Alive, close',
          'Connection: close',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Transfer-Encoding: chunked',
          'Transfer-Encoding : chunked',
          'Transfer-Encoding\t: chunked',
          'Transfer\u00adEncoding: chunked',
          'Content-Length : 5',
          'Expect: 100-continue',
          'Accept: application/json, text/event-stream',
          'Authorization: Bearer abc  ',
          'X-Tab:\ta\tb\t',
          'X-Empty:',
          'X-Spaces:   ',
          ' X-Folded: a',
          'X-Null: \0',
          'X-Feed: a\nContent-Length: 5',
          'X-Return: a\rContent-Length: 5',
          '__proto__: a',
          'constructor: a',
          'Cookie: a=1',
          'No colon',
          ': no name',
        ),
        fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 12 }),
        fc
          .tuple(fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/), fc.string({ maxLength: 8 }))
          .map(([name, value]) => `${name}: ${value}`),
      ),
      { maxLength: 2 },
    ),
    size: fc.option(
      fc.constantFrom(
        '0',
        '003',
        '+3',
        '3, 3',
        '0x3',
        '-3',
        '3 3',
        '3.0',
        '9999',
        '99999',
        '3\r\nContent-Length: 4',
        '',
      ),
      { freq: 1 },
    ),
    end: fc.constantFrom(...Array.from({ length: 8 }, () => '\r\n'), '\n', '\r'),
    body: fc.constantFrom('abc', '', 'GET /x HTTP/1.1\r\n\r\n', '3\r\nabc\r\n0\r\n\r\n', '\u00ff\0'),
  })
  .map(({ start, host, lines, size, end, body }) => {
    const length = `Content-Length: ${size ?? body.length}`;
    return `${[start, host, ...lines, length].join(end)}${end}${end}${body}`;
  });

describe('fast HTTP', () => {
  it('serves small requests to its URL, and falls back to Node with the first other request', async (t) => {
    const { port } = await serving(t);
    const requests = [post('one'), post('two'), post('three', '', '/api'), post('four'), last];
    const told = await exchange(port, requests);
    assert.deepEqual(
      told.map(({ way, body }) => [way, body]),
      [
        ['short', 'one'],
        ['short', 'two'],
        ['long', 'three'],
        ['long', 'four'],
        ['long', ''],
      ],
    );
    const [large] = await exchange(port, [post('x'.repeat(5001)), last]);
    assert.equal(large?.way, 'long', 'what is too large is refused by the same that refuses all');
    const [head = '', body = ''] = post('abc'.repeat(70)).split(/(?<=\r\n\r\n)/);
    const [slow] = await exchange(port, [head, ...body, last]);
    assert.deepEqual([slow?.way, slow?.body], ['short', body], 'a body may come letter by letter');
    const together = await exchange(port, [requests.join('')]);
    assert.deepEqual(together, told, 'also when they come all at once');
  });

  it('parses random requests exactly as Node does, with the same boundaries', async (t) => {
    const { port } = await serving(t, 'long');
    let taken = 0;
    const property = fc.asyncProperty(anyRequest, async (written) => {
      const bytes = Buffer.from(written, 'latin1');
      const head = parseRequestHead(bytes, undefined);
      if (head === undefined) return;
      taken += 1;
      const { url, headers, end, bodyBytes } = head;
      const body = bytes
        .subarray(end, end + bodyBytes)
        .toString('latin1')
        .padEnd(bodyBytes, 'x');
      const whole = bytes.subarray(0, end).toString('latin1') + body;
      const told = await exchange(port, [Buffer.from(whole, 'latin1'), last]);
      assert.equal(told.length, 2);
      assert.deepEqual(told[0], { status: 200, way: 'long', method: 'POST', url, headers: { ...headers }, body });
    });
    await fc.assert(property, { seed: 9, numRuns: 2000 });
    assert.ok(taken > 200, `only ${taken} were taken`);
  });

  it('reuses a parsed head only for equal bytes', () => {
    let again = 0;
    const cut = fc.nat({ max: 300 });
    const property = fc.property(anyRequest, anyRequest, cut, fc.boolean(), (first, other, length, isSame) => {
      const before = parseRequestHead(Buffer.from(first, 'latin1'), undefined);
      const bytes = Buffer.from((isSame ? first : first.slice(0, length)) + other, 'latin1');
      const head = parseRequestHead(bytes, before);
      if (head !== undefined && head === before) again += 1;
      assert.deepEqual(head, parseRequestHead(bytes, undefined));
    });
    fc.assert(property, { seed: 9, numRuns: 5000 });
    assert.ok(again > 200, `only ${again} came before`);
  });

  it('parses requests in any chunks, like Node', async (t) => {
    const [{ port: short }, { port: long }] = [await serving(t), await serving(t, 'long')];
    const body = fc.string({ unit: 'binary', maxLength: 200 });
    const request = fc.oneof(
      { weight: 4, arbitrary: body.map((each) => post(each)) },
      { weight: 1, arbitrary: body.map((each) => post(each, 'X-More: \u00e4\r\n')) },
      { weight: 1, arbitrary: body.map((each) => post(each, '', '/api')) },
      { weight: 1, arbitrary: fc.constant('GET /mcp HTTP/1.1\r\nHost: here\r\n\r\n') },
    );
    const property = fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(1500), { maxLength: 5 }),
      async (requests, cuts) => {
        const bytes = Buffer.from([...requests, last].join(''));
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
        const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        const [ours, nodes] = await Promise.all([exchange(short, pieces), exchange(long, pieces)]);
        assert.deepEqual(ours.map(reading), nodes.map(reading));
      },
    );
    await fc.assert(property, { seed: 9, numRuns: 150 });
  });

  it('aborts the running request when the client disconnects', async (t) => {
    const begun = Promise.withResolvers<HttpResponse>();
    const { port } = await serving(t, { serve: (_request, response) => begun.resolve(response) });
    const socket = connect(port, '127.0.0.1');
    socket.write(post('one'));
    const response = await begun.promise;
    assert.equal(response.closed, false);
    const closed = new Promise<void>((resolve) => response.on('close', resolve));
    socket.destroy();
    await closed;
    assert.equal(response.closed, true);
    response.writeHead(200, []).end('too late');
  });

  it('buffers pipelined requests up to a limit', async (t) => {
    const begun = Promise.withResolvers<HttpResponse>();
    let served = 0;
    const { port } = await serving(t, {
      serve(request, response, body) {
        served += 1;
        if (served === 1) begun.resolve(response);
        else tell('short', request, response, body.toString('latin1'));
      },
    });
    const socket = connect(port, '127.0.0.1');
    const answers = text(socket.setEncoding('latin1'));
    socket.write(post('first'));
    const first = await begun.promise;
    const [body, others] = ['x'.repeat(1000), 8000];
    let isTaken = true;
    for (let index = 0; index < others; index += 1) isTaken = socket.write(post(body));
    socket.write(last);
    assert.equal(isTaken, false, 'nobody reads all of it ahead');
    await delay(100);
    assert.ok(socket.writableLength > 0);
    assert.equal(served, 1);
    first.writeHead(200, []).end('{}');
    const told = answersIn(await answers);
    assert.equal(told.length, others + 2);
    assert.ok(told.slice(1, -1).every((each) => each.body === body));
  });

  it('streams chunked responses and keeps the connection open', async (t) => {
    const { port } = await serving(t, {
      async serve(request, response, body) {
        if (body.length === 0) {
          tell('short', request, response, '');
          return;
        }
        response.writeHead(200, ['Content-Type', 'text/event-stream']);
        response.flushHeaders();
        for (const part of ['data: \u00e4\n\n', '', 'data: b\n\n']) {
          response.write(part);
          await delay(1);
        }
        response.end();
      },
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    t.after(() => agent.destroy());
    const ask = async (sent: string): Promise<string> => {
      const asking = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent });
      asking.end(sent);
      const [answer] = (await once(asking, 'response')) as [IncomingMessage];
      return await text(answer.setEncoding('utf8'));
    };
    assert.equal(await ask('x'), 'data: \u00e4\n\ndata: b\n\n');
    assert.match(await ask(''), /"way":"short"/);
  });

  it('refuses header values with line breaks', async (t) => {
    const tried = Promise.withResolvers<unknown>();
    const { port } = await serving(t, {
      serve(request, response) {
        try {
          response.writeHead(200, ['X-Said', 'a\r\nSet-Cookie: b']);
        } catch (error) {
          tried.resolve(error);
        }
        tell('short', request, response, '');
      },
    });
    assert.equal((await exchange(port, [post('one'), last])).length, 2);
    assert.match(String(await tried.promise), /X-Said cannot be sent/);
  });
});

describe('a slow client', () => {
  const cases: [string, Partial<typeof limits>, string, RegExp][] = [
    ['sends nothing at all', { headersMs: 100 }, '', /^$/],
    ['sends half of a body', { requestMs: 100 }, post('one').slice(0, -1), /^HTTP\/1.1 408 /],
    ['sends nothing more', { keepAliveMs: 100 }, post('one'), /^HTTP\/1.1 200 /],
  ];
  for (const [what, limited, sent, expected] of cases)
    it(`times out when it ${what}`, async (t) => {
      const { port } = await serving(t, { limits: { ...limits, ...limited } });
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      if (sent !== '') socket.write(sent);
      assert.match(await text(socket.setEncoding('latin1')), expected);
    });
});

describe('a stopping server', () => {
  it('closes idle connections at once, and others after their response', async (t) => {
    const begun = Promise.withResolvers<HttpResponse>();
    const { port, way, close } = await serving(t, {
      serve(request, response, body) {
        if (body.length === 0) tell('short', request, response, '');
        else begun.resolve(response);
      },
    });
    const [idle, busy, fresh] = [1, 2, 3].map(() => connect(port, '127.0.0.1'));
    assert.ok(idle !== undefined && busy !== undefined && fresh !== undefined);
    await Promise.all([idle, busy, fresh].map((socket) => once(socket, 'connect')));
    idle.write(post(''));
    await once(idle, 'data');
    busy.write(post('one'));
    const response = await begun.promise;
    way?.drain();
    const closed = close();
    await once(idle, 'close');
    fresh.write(post(''));
    assert.match(await text(fresh.setEncoding('latin1')), /Connection: close/, 'whoever has come is served');
    response.writeHead(200, []).end('{}');
    assert.match(await text(busy.setEncoding('latin1')), /Connection: close[^]*\{\}$/);
    await closed;
  });
});

/** Returns a parsed request without the path by which it was served. */
function reading({ way: _, ...told }: Told): Omit<Told, 'way'> {
  return told;
}
