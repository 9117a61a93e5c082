import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, createServer as createHttpServer } from 'node:http';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { localhostCertificate } from '../../../../test/support/localhost-certificate.ts';
import { within } from '../../../../test/support/within.ts';
import { instance } from '../../../core/mcp-protocol.ts';
import { publicLookup } from './address-guard.ts';
import type { Ask } from './ask.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { KeptSockets } from './kept-sockets.ts';

const headers = ['host', 'localhost', 'content-type', 'application/json', 'content-length', '2'];
const plain = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"signals"';
const taken = { text: '"signals"' };

/** What came of a call. */
type Came = { readonly text: string } | { readonly status: number; readonly body: string } | { readonly error: Error };

function call(sockets: KeptSockets): Promise<Came> {
  const came = new Promise<Came>((resolve) => {
    const left = (incoming: IncomingMessage): void => {
      let body = '';
      incoming.setEncoding('utf8').on('data', (piece: string) => (body += piece));
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body }));
      incoming.on('error', (error) => resolve({ error }));
    };
    sockets.post(headers, '{}', {
      taken: (text) => resolve({ text }),
      left,
      failed: (error) => resolve({ error }),
    });
  });
  return within(came, 'something to come of the call');
}

function errorOf(came: Came): Error & { code?: unknown } {
  assert.ok('error' in came, JSON.stringify(came));
  return came.error;
}

interface Raw {
  readonly url: URL;
  readonly sockets: KeptSockets;
  /** Those that were made to the server. */
  readonly connections: Socket[];
  readonly requests: string[];
}

/** Connections to a server that does this with each request. */
async function raw(t: TestContext, answer: (socket: Socket, nth: number) => void, secure = false): Promise<Raw> {
  const connections: Socket[] = [];
  const requests: string[] = [];
  const connected = (socket: Socket): void => {
    connections.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      requests.push(bytes.toString());
      answer(socket, requests.length);
    });
  };
  const server = secure ? createSecureServer(localhostCertificate, connected) : createServer(connected);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http${secure ? 's' : ''}://localhost:${(server.address() as AddressInfo).port}/mcp?team=blue`);
  const guarded = guardedFetch(url, 1000);
  t.after(() => {
    guarded.close();
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { url, sockets: guarded.socketsTo(url), connections, requests };
}

/** Until this end has seen that the other is closed. */
async function closed(socket: Socket | undefined): Promise<void> {
  assert.ok(socket !== undefined);
  if (!socket.closed) await within(once(socket, 'close'), 'the connection to close');
}

describe('a kept connection', () => {
  test('takes one call after the other, and as many are open as calls are at a time', async (t) => {
    const { sockets, connections, requests } = await raw(t, (socket) => socket.write(plain));
    for (let index = 0; index < 5; index += 1) assert.deepEqual(await call(sockets), taken);
    assert.equal(connections.length, 1);
    assert.equal(
      requests[4],
      `POST /mcp?team=blue HTTP/1.1\r\nconnection: keep-alive\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
    );
    const many = await Promise.all(Array.from({ length: 8 }, () => call(sockets)));
    assert.deepEqual(
      many,
      many.map(() => taken),
    );
    assert.equal(connections.length, 8);
  });

  test('is not used again when the server says so', async (t) => {
    for (const line of ['Connection: close', 'Keep-Alive: timeout=1']) {
      const { sockets, connections } = await raw(t, (socket) =>
        socket.write(plain.replace('Content-Type', `${line}\r\nContent-Type`)),
      );
      for (let index = 0; index < 3; index += 1) assert.deepEqual(await call(sockets), taken);
      assert.equal(connections.length, 3);
      await closed(connections[0]);
    }
  });

  test('is not used again when it was idle for about as long as the server keeps it', async (t) => {
    const line = 'Keep-Alive: timeout=2\r\n';
    const { sockets, connections } = await raw(t, (socket) =>
      socket.write(plain.replace('Content-Type', `${line}Content-Type`)),
    );
    await call(sockets);
    await wait(1100);
    assert.deepEqual(await call(sockets), taken);
    assert.equal(connections.length, 2);
    await closed(connections[0]);
  });

  test('that the server closes in between is replaced', async (t) => {
    const { sockets, connections, requests } = await raw(t, (socket) => socket.write(plain));
    await call(sockets);
    connections[0]?.end();
    await closed(connections[0]);
    assert.deepEqual(await call(sockets), taken);
    assert.deepEqual([connections.length, requests.length], [2, 2]);
  });

  test('that the server closes instead of answering fails its call, which is not sent again', async (t) => {
    for (const lose of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const { sockets, requests } = await raw(t, (socket, nth) => (nth === 1 ? socket.write(plain) : lose(socket)));
      await call(sockets);
      assert.equal(errorOf(await call(sockets)).code, 'ECONNRESET');
      assert.equal(requests.length, 2);
    }
  });

  test('on which something comes that nobody asked for is closed', async (t) => {
    const { sockets, connections } = await raw(t, (socket, nth) =>
      socket.write(nth === 1 ? plain : plain.replace('signals', 'nothing')),
    );
    await call(sockets);
    connections[0]?.write(plain.replace('signals', 'slipped'));
    await closed(connections[0]);
    assert.deepEqual(await call(sockets), { text: '"nothing"' });
    assert.equal(connections.length, 2);
  });

  test('with more than the answer on it fails the call', async (t) => {
    const { sockets, connections } = await raw(t, (socket) => socket.write(`${plain}{`));
    errorOf(await call(sockets));
    await closed(connections[0]);
  });

  test('fails its call when all are closed', async (t) => {
    const asked = Promise.withResolvers<void>();
    const { sockets, connections } = await raw(t, () => asked.resolve());
    const calling = call(sockets);
    await within(asked.promise, 'the request to come');
    sockets.close();
    assert.equal(errorOf(await calling).code, 'ECONNRESET');
    await closed(connections[0]);
  });
});

describe('an answer to a call over HTTP', () => {
  const chunks = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

  test('that comes in pieces is put together', async (t) => {
    const { sockets, connections } = await raw(t, (socket) => {
      socket.setNoDelay(true);
      socket.write(chunks);
      setTimeout(() => socket.write('4\r\n"sig\r\n5'), 20);
      setTimeout(() => socket.write('\r\nnals"\r\n0\r\n\r\n'), 40);
    });
    assert.deepEqual(await call(sockets), taken);
    assert.deepEqual(await call(sockets), taken);
    assert.equal(connections.length, 1);
  });

  test('that is another than a plain one is what node:http reads', async (t) => {
    const end = (socket: Socket): void => void socket.end();
    for (const [answer, expected, then] of [
      ['HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno', { status: 404, body: 'no' }],
      ['HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '' }],
      [`HTTP/1.1 100 Continue\r\n\r\n${plain}`, { status: 200, body: taken.text }],
      [`${chunks}9;x=y\r\n"signals"\r\n0\r\nX-After: z\r\n\r\n`, { status: 200, body: taken.text }],
      [
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n',
        { status: 200, body: 'data: 1\n\n' },
        end,
      ],
      ['HTTP/1.1 200 OK\r\n\r\n', { status: 200, body: '' }, end],
    ] as const) {
      const { sockets, connections, requests } = await raw(t, (socket) => {
        socket.write(answer);
        then?.(socket);
      });
      assert.deepEqual(await call(sockets), expected);
      await closed(connections[0]);
      assert.equal(requests.length, 1);
    }
  });

  test('that is cut off, no HTTP, or from this process itself fails the call', async (t) => {
    for (const [answer, expected] of [
      [plain.slice(0, -1), /the answer was cut off/],
      [plain.slice(0, 20), /socket hang up/],
      [`${chunks}5\r\n`, /the answer was cut off/],
      [`${chunks}zz\r\n`, /Parse Error/],
      ['* OK ready\r\n', /Parse Error/],
      [plain.replace('OK\r\n', `OK\r\n${instance.header}: ${instance.id}\r\n`), /this Signalbox itself/],
    ] as const) {
      const { sockets, connections } = await raw(t, (socket) => socket.end(answer));
      assert.match(errorOf(await call(sockets)).message, expected);
      await closed(connections[0]);
    }
  });

  test('that is a stream is not read faster than it is taken', async (t) => {
    let written = 0;
    const { sockets } = await raw(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n');
      const more = (): void => {
        while (written < 64_000_000 && !socket.destroyed) {
          written += 64_000;
          if (!socket.write('x'.repeat(64_000))) return void socket.once('drain', more);
        }
        socket.end();
      };
      more();
    });
    const incoming = await new Promise<IncomingMessage>((left, failed) => {
      sockets.post(headers, '{}', { taken: failed, left, failed });
    });
    let before = -1;
    while (before !== written) {
      before = written;
      await wait(200);
    }
    assert.ok(written < 64_000_000, 'it waits for who reads');
    let read = 0;
    incoming.on('data', (bytes: Buffer) => (read += bytes.length));
    await within(once(incoming, 'end'), 'the end of the stream');
    assert.equal(read, 64_000_000);
  });
});

test('a server that answers with streams is asked by node:http from then on, which keeps its connections', async (t) => {
  const ports: unknown[] = [];
  const server = createHttpServer((request, response) => {
    ports.push(request.socket.remotePort);
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end('data: 1\n\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  const guarded = guardedFetch(url, 1000);
  t.after(() => {
    guarded.close();
    server.close();
  });
  const sockets = guarded.socketsTo(url);
  for (let index = 0; index < 4; index += 1)
    assert.deepEqual(await call(sockets), { status: 200, body: 'data: 1\n\n' });
  assert.equal(new Set(ports).size, 2);
});

describe('a call over HTTPS', () => {
  test('is not sent to a server whose certificate is not trusted', async (t) => {
    const { sockets, requests } = await raw(t, (socket) => socket.write(plain), true);
    assert.equal(errorOf(await call(sockets)).code, 'DEPTH_ZERO_SELF_SIGNED_CERT');
    assert.equal(requests.length, 0);
  });

  test('is answered, also in another way, and keeps its connection', async (t) => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, localhostCertificate.cert]);
    t.after(() => setDefaultCACertificates(trusted));
    const { sockets, connections } = await raw(
      t,
      (socket, nth) => (nth < 4 ? socket.write(plain) : socket.end('HTTP/1.1 500 Oh\r\n\r\nno')),
      true,
    );
    for (let index = 0; index < 3; index += 1) assert.deepEqual(await call(sockets), taken);
    assert.deepEqual(await call(sockets), { status: 500, body: 'no' });
    assert.equal(connections.length, 1);
  });
});

test('a call is not made inside, unless that was configured: by address, or by a public name that resolves there', async (t) => {
  const {
    connections,
    url: { port },
  } = await raw(t, () => undefined);
  const guarded = guardedFetch(new URL('https://example.org/'), 1000);
  assert.throws(() => guarded.socketsTo(new URL(`http://127.0.0.1:${port}/`)), /an address of this machine/);
  const byNode: Ask = () => assert.fail('nothing comes that it could read');
  const url = new URL(`http://localhost:${port}/`);
  const sockets = new KeptSockets({ url, lookup: publicLookup, byNode, largestAnswer: 1000 });
  assert.equal(errorOf(await call(sockets)).code, 'SIGNALBOX_ADDRESS');
  assert.equal(connections.length, 0);
});
