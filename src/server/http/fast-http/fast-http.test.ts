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
function respond(
  servedBy: string,
  { method, url, headers }: HttpRequestHead,
  response: HttpResponse,
  body: string,
): void {
  const document = JSON.stringify({ servedBy, method, url, headers, body });
  response.writeHead(200, ['Content-Length', String(Buffer.byteLength(document))]).end(document);
}

/** Starts Node's HTTP server with `FastHttp` in front of it, unless that is disabled. */
async function serving(
  t: TestContext,
  options: Partial<FastHttpOptions> | 'node-only' = {},
): Promise<{ port: number; fastHttp: FastHttp | undefined; close(): Promise<unknown> }> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond('node', request, response, Buffer.concat(chunks).toString('latin1')));
    request.on('error', () => undefined);
  });
  const fastHttp =
    options === 'node-only'
      ? undefined
      : new FastHttp(server, {
          isHandled: (url) => url.startsWith('/mcp'),
          serve: (request, response, body) => respond('fast', request, response, body.toString('latin1')),
          limits,
          ...options,
        });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    fastHttp?.closeAll();
    server.closeAllConnections();
  });
  const close = (): Promise<unknown> => {
    const closed = once(server, 'close');
    server.close();
    fastHttp?.closeIdle();
    return closed;
  };
  return { port: (server.address() as AddressInfo).port, fastHttp, close };
}

function post(body: string, extraLines = '', path = '/mcp'): string {
  return `POST ${path} HTTP/1.1\r\nHost: here\r\n${extraLines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

interface ParsedResponse {
  readonly status: number;
  readonly servedBy?: string;
  readonly body?: string;
}

/** Parses the responses on a connection, in order. */
function parseResponses(bytes: string): ParsedResponse[] {
  const responses: ParsedResponse[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at) + 4;
    if (end < 4) break;
    const head = bytes.slice(at, end);
    const size = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const status = Number(head.slice(9, 12));
    const document = Buffer.from(bytes.slice(end, end + size), 'latin1').toString();
    responses.push({ status, ...(status === 200 ? (JSON.parse(document) as object) : {}) });
    at = end + size;
  }
  return responses;
}

/** Sends each chunk in a separate packet, and reads until the connection ends. */
async function exchange(
  port: number,
  chunks: readonly (string | Buffer)[],
  isLast = /"url":"\/last"/,
): Promise<ParsedResponse[]> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  socket.on('error', () => undefined);
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
    if (isLast.test(received)) socket.end();
  });
  const closed = once(socket, 'close');
  for (const chunk of chunks) {
    if (socket.writable) socket.write(chunk);
    if (chunks.length > 1) await delay(1);
  }
  await closed;
  return parseResponses(received);
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

describe('FastHttp', () => {
  it('serves small requests to its URLs, and falls back to Node with the first other request', async (t) => {
    const { port } = await serving(t);
    const requests = [post('one'), post('two'), post('three', '', '/api'), post('four'), last];
    const responses = await exchange(port, requests);
    assert.deepEqual(
      responses.map(({ servedBy, body }) => [servedBy, body]),
      [
        ['fast', 'one'],
        ['fast', 'two'],
        ['node', 'three'],
        ['node', 'four'],
        ['node', ''],
      ],
    );
    const [large] = await exchange(port, [post('x'.repeat(5001)), last]);
    assert.equal(large?.servedBy, 'node', 'Node refuses bodies that are too large');
    const [head = '', body = ''] = post('abc'.repeat(70)).split(/(?<=\r\n\r\n)/);
    const [slow] = await exchange(port, [head, ...body, last]);
    assert.deepEqual([slow?.servedBy, slow?.body], ['fast', body], 'a body may arrive byte by byte');
    const pipelined = await exchange(port, [requests.join('')]);
    assert.deepEqual(pipelined, responses, 'pipelined requests get the same responses');
  });

  it('parses random requests exactly as Node does, with the same boundaries', async (t) => {
    const { port } = await serving(t, 'node-only');
    let parsed = 0;
    const property = fc.asyncProperty(anyRequest, async (written) => {
      const bytes = Buffer.from(written, 'latin1');
      const head = parseRequestHead(bytes, undefined);
      if (head === undefined) return;
      parsed += 1;
      const { url, headers, end, bodyBytes } = head;
      const body = bytes
        .subarray(end, end + bodyBytes)
        .toString('latin1')
        .padEnd(bodyBytes, 'x');
      const whole = bytes.subarray(0, end).toString('latin1') + body;
      const responses = await exchange(port, [Buffer.from(whole, 'latin1'), last]);
      assert.equal(responses.length, 2);
      assert.deepEqual(responses[0], {
        status: 200,
        servedBy: 'node',
        method: 'POST',
        url,
        headers: { ...headers },
        body,
      });
    });
    await fc.assert(property, { seed: 9, numRuns: 2000 });
    assert.ok(parsed > 200, `only ${parsed} were parsed`);
  });

  it('reuses a parsed head only for equal bytes', () => {
    let reused = 0;
    const cut = fc.nat({ max: 300 });
    const property = fc.property(anyRequest, anyRequest, cut, fc.boolean(), (first, other, length, isSame) => {
      const before = parseRequestHead(Buffer.from(first, 'latin1'), undefined);
      const bytes = Buffer.from((isSame ? first : first.slice(0, length)) + other, 'latin1');
      const head = parseRequestHead(bytes, before);
      if (head !== undefined && head === before) reused += 1;
      assert.deepEqual(head, parseRequestHead(bytes, undefined));
    });
    fc.assert(property, { seed: 9, numRuns: 5000 });
    assert.ok(reused > 200, `only ${reused} were reused`);
  });

  it('parses requests that arrive in any chunks as Node does', async (t) => {
    const [{ port: fastPort }, { port: nodePort }] = [await serving(t), await serving(t, 'node-only')];
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
        const chunks = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
        const [ours, nodes] = await Promise.all([exchange(fastPort, chunks), exchange(nodePort, chunks)]);
        assert.deepEqual(ours.map(withoutServer), nodes.map(withoutServer));
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
        else respond('fast', request, response, body.toString('latin1'));
      },
    });
    const socket = connect(port, '127.0.0.1');
    const received = text(socket.setEncoding('latin1'));
    socket.write(post('first'));
    const first = await begun.promise;
    const [body, others] = ['x'.repeat(1000), 8000];
    let isDrained = true;
    for (let index = 0; index < others; index += 1) isDrained = socket.write(post(body));
    socket.write(last);
    assert.equal(isDrained, false, 'the server stops reading');
    await delay(100);
    assert.ok(socket.writableLength > 0);
    assert.equal(served, 1);
    first.writeHead(200, []).end('{}');
    const responses = parseResponses(await received);
    assert.equal(responses.length, others + 2);
    assert.ok(responses.slice(1, -1).every((each) => each.body === body));
  });

  it('streams chunked responses and keeps the connection open', async (t) => {
    const { port } = await serving(t, {
      async serve(request, response, body) {
        if (body.length === 0) {
          respond('fast', request, response, '');
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
    const request = async (sent: string): Promise<string> => {
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/mcp', method: 'POST', agent });
      outgoing.end(sent);
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      return await text(response.setEncoding('utf8'));
    };
    assert.equal(await request('x'), 'data: \u00e4\n\ndata: b\n\n');
    assert.match(await request(''), /"servedBy":"fast"/);
  });

  it('refuses header values with line breaks', async (t) => {
    const thrown = Promise.withResolvers<unknown>();
    const { port } = await serving(t, {
      serve(request, response) {
        try {
          response.writeHead(200, ['X-Text', 'a\r\nSet-Cookie: b']);
        } catch (error) {
          thrown.resolve(error);
        }
        respond('fast', request, response, '');
      },
    });
    assert.equal((await exchange(port, [post('one'), last])).length, 2);
    assert.match(String(await thrown.promise), /X-Text cannot be sent/);
  });
});

describe('FastHttp with a slow client', () => {
  const cases: [string, Partial<typeof limits>, string, RegExp][] = [
    ['sends nothing', { headersMs: 100 }, '', /^$/],
    ['sends half of a body', { requestMs: 100 }, post('one').slice(0, -1), /^HTTP\/1.1 408 /],
    ['sends no further request', { keepAliveMs: 100 }, post('one'), /^HTTP\/1.1 200 /],
  ];
  for (const [action, limited, sent, expected] of cases)
    it(`closes the connection when the client ${action}`, async (t) => {
      const { port } = await serving(t, { limits: { ...limits, ...limited } });
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      if (sent !== '') socket.write(sent);
      assert.match(await text(socket.setEncoding('latin1')), expected);
    });
});

describe('FastHttp of a stopping server', () => {
  it('closes idle connections at once, and others after their response', async (t) => {
    const begun = Promise.withResolvers<HttpResponse>();
    const { port, fastHttp, close } = await serving(t, {
      serve(request, response, body) {
        if (body.length === 0) respond('fast', request, response, '');
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
    fastHttp?.drain();
    const closed = close();
    await once(idle, 'close');
    fresh.write(post(''));
    assert.match(
      await text(fresh.setEncoding('latin1')),
      /Connection: close/,
      'the first request of a new connection is served',
    );
    response.writeHead(200, []).end('{}');
    assert.match(await text(busy.setEncoding('latin1')), /Connection: close[^]*\{\}$/);
    await closed;
  });
});

/** Returns a response without the server that it names. */
function withoutServer({ servedBy: _, ...response }: ParsedResponse): Omit<ParsedResponse, 'servedBy'> {
  return response;
}
