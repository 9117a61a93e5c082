import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createServer as createSecureServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { localhostCertificate } from '../../../../../test/support/http/localhost-certificate.ts';
import { within } from '../../../../../test/support/within.ts';
import { gatewayInstance } from '../../../../core/mcp-protocol.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { RpcChannel } from '../../connection/rpc-channel.ts';
import { createHttpTransport } from '../http-link.ts';

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } } as const;
const result = { jsonrpc: '2.0', id: 1, result: {} };
const document = JSON.stringify(result);
const plain = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${document.length}\r\n\r\n${document}`;
const chunks = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
const inChunks = `${chunks}${document.length.toString(16)}\r\n${document}\r\n0\r\n\r\n`;
const events = `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${(document.length + 8).toString(16)}\r\ndata: ${document}\n\n\r\n0\r\n\r\n`;

interface Raw {
  readonly url: URL;
  /** Sends a call and resolves with its response. */
  send(): Promise<unknown>;
  close(): Promise<void>;
  /** The connections that were opened to the server. */
  readonly connections: Socket[];
  readonly requests: string[];
}

/** Creates a transport to a server with this request handler. */
async function raw(t: TestContext, answer: (socket: Socket, nth: number) => void, secure = false): Promise<Raw> {
  const connections: Socket[] = [];
  const requests: string[] = [];
  const connected = (socket: Socket): void => {
    connections.push(socket);
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString();
      const [head = '', body] = received.split('\r\n\r\n');
      // A request may arrive in several pieces.
      if (body === undefined || body.length < Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)) return;
      requests.push(received);
      received = '';
      answer(socket, requests.length);
    });
  };
  const server = secure ? createSecureServer(localhostCertificate, connected) : createServer(connected);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(`http${secure ? 's' : ''}://localhost:${(server.address() as AddressInfo).port}/mcp?team=blue`);
  const { transport } = createHttpTransport({ type: 'http', url: url.href }, 1000);
  t.after(async () => {
    await transport.close();
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const send = async (): Promise<unknown> => {
    const answered = Promise.withResolvers<unknown>();
    Object.assign(transport, { onmessage: answered.resolve });
    const fail = (): void => answered.reject(new Error('no response arrived'));
    await transport.send(call, { onRequestStreamEnd: fail });
    return await answered.promise;
  };
  return {
    url,
    send: () => within(send(), 'the call to end'),
    close: () => transport.close(),
    connections,
    requests,
  };
}

/** Resolves when this end has detected that the other is closed. */
async function closed(socket: Socket | undefined): Promise<void> {
  assert.ok(socket !== undefined);
  if (!socket.closed) await within(once(socket, 'close'), 'the connection to close');
}

describe('a connection to a server', () => {
  for (const [form, answer] of [
    ['JSON', plain],
    ['chunked JSON', inChunks],
    ['event streams', events],
  ] as const)
    test(`is reused by sequential calls, with ${form} as response`, async (t) => {
      const { send, connections, requests } = await raw(t, (socket) => socket.write(answer));
      for (let index = 0; index < 5; index += 1) assert.deepEqual(await send(), result);
      // A call that follows in the same turn of the event loop does not wait until the first connection is free.
      assert.ok(connections.length <= 2);
      assert.match(requests[4] ?? '', /^POST \/mcp\?team=blue HTTP\/1\.1\r\n/);
    });

  test('is not reused when the response forbids it', async (t) => {
    for (const line of ['Connection: close', 'Keep-Alive: timeout=1']) {
      const { send, connections } = await raw(t, (socket) =>
        socket.write(plain.replace('Content-Type', `${line}\r\nContent-Type`)),
      );
      for (let index = 0; index < 3; index += 1) assert.deepEqual(await send(), result);
      assert.equal(connections.length, 3);
      await closed(connections[0]);
    }
  });

  test('is replaced when the server closes it between calls', async (t) => {
    const { send, connections, requests } = await raw(t, (socket) => socket.write(plain));
    await send();
    connections[0]?.end();
    await closed(connections[0]);
    await wait(20);
    assert.deepEqual(await send(), result);
    assert.deepEqual([connections.length, requests.length], [2, 2]);
  });

  test('fails its call, which is not sent again, when the server closes it without a response', async (t) => {
    for (const lose of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
      const { send, requests } = await raw(t, (socket, nth) => (nth === 1 ? socket.write(plain) : lose(socket)));
      await send();
      await assert.rejects(send(), /other side closed|ECONNRESET/);
      await wait(100);
      assert.equal(requests.length, 2);
    }
  });

  test('is closed when an unsolicited response arrives', async (t) => {
    const { send, connections } = await raw(t, (socket) => socket.write(plain));
    await send();
    connections[0]?.write(plain);
    await closed(connections[0]);
    assert.deepEqual(await send(), result);
    assert.equal(connections.length, 2);
  });

  test('fails its call when the transport is closed', async (t) => {
    const arrived = Promise.withResolvers<void>();
    const { send, close, connections } = await raw(t, () => arrived.resolve());
    const calling = assert.rejects(send(), /the connection was closed/);
    await within(arrived.promise, 'the request to arrive');
    await close();
    await calling;
    await closed(connections[0]);
  });
});

test('a request over HTTP that has no response in time closes its connection', async (t) => {
  const { url, connections } = await raw(t, () => undefined);
  const { transport } = createHttpTransport({ type: 'http', url: url.href }, 1000);
  const channel = new RpcChannel(transport, () => 'the connection was closed');
  await channel.start();
  await assert.rejects(channel.request('tools/list', {}, { timeoutMs: 50 }), /no response within 50 ms/);
  await closed(connections[0]);
  await channel.close();
});

describe('a response to a call over HTTP', () => {
  test('is assembled when it arrives in pieces', async (t) => {
    for (const answer of [plain, inChunks, events]) {
      const { send, connections } = await raw(t, (socket) => {
        socket.setNoDelay(true);
        for (const [index, at] of [0, 20, answer.length - 20, answer.length - 3].entries()) {
          const end = [20, answer.length - 20, answer.length - 3, answer.length][index];
          setTimeout(() => socket.write(answer.slice(at, end)), index * 20);
        }
      });
      assert.deepEqual([await send(), await send()], [result, result]);
      assert.ok(connections.length <= 2);
    }
  });

  test('may follow an interim response', async (t) => {
    const { send } = await raw(t, (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${plain}`));
    assert.deepEqual(await send(), result);
  });

  test('fails the call when it is cut off, not HTTP, or from this process itself', async (t) => {
    for (const [answer, expected] of [
      [plain.slice(0, -1), /other side closed|terminated|mismatch/],
      [plain.slice(0, 20), /other side closed/],
      [`${chunks}5\r\n`, /other side closed|terminated|Invalid EOF/],
      [`${chunks}zz\r\n`, /Parse Error|Invalid/],
      ['* OK ready\r\n', /Parse Error|Expected HTTP/],
      [plain.replace('OK\r\n', `OK\r\n${gatewayInstance.header}: ${gatewayInstance.id}\r\n`), /this Signalbox itself/],
    ] as const) {
      const { send, connections } = await raw(t, (socket) => socket.end(answer));
      await assert.rejects(send(), expected);
      await closed(connections[0]);
    }
  });
});

describe('a call over HTTPS', () => {
  test('is not sent to a server whose certificate is not trusted', async (t) => {
    const { send, requests } = await raw(t, (socket) => socket.write(plain), true);
    await assert.rejects(send(), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    assert.equal(requests.length, 0);
  });

  test('is answered, and its connection is reused', async (t) => {
    const trusted = getCACertificates();
    setDefaultCACertificates([...trusted, localhostCertificate.cert]);
    t.after(() => setDefaultCACertificates(trusted));
    const { send, connections } = await raw(t, (socket) => socket.write(plain), true);
    for (let index = 0; index < 3; index += 1) assert.deepEqual(await send(), result);
    assert.ok(connections.length <= 2);
  });
});

test('a fetch for a public URL connects to no private address', async (t) => {
  const {
    connections,
    url: { port },
  } = await raw(t, () => undefined);
  const { fetch, close } = createGuardedFetch(new URL('https://example.org/'), 1000);
  t.after(close);
  for (const host of ['127.0.0.1', '[::1]', 'localhost', '[::ffff:127.0.0.1]'])
    await assert.rejects(fetch(`http://${host}:${port}/`), { code: 'SIGNALBOX_ADDRESS' }, host);
  assert.equal(connections.length, 0);
});
