import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { within } from '../../../../test/support/within.ts';
import type { AbortListener, AbortSignalLike } from '../../../core/async/light-abort-signal.ts';
import { RunningCall } from '../server-messages/running-calls.ts';
import type { ChannelTransport } from '../connection/rpc-channel.ts';
import { createHttpTransport } from './http-transport.ts';

const call = { jsonrpc: '2.0', id: 'signalbox-1', method: 'tools/call', params: { name: 'echo' } } as const;
const result = { jsonrpc: '2.0', id: 'signalbox-1', result: { content: [] } };

interface Connected {
  readonly transport: ChannelTransport;
  readonly requests: IncomingHttpHeaders[];
  readonly messages: unknown[];
}

/** Creates a transport to a server with these responses. */
async function connected(
  t: TestContext,
  answer: (response: ServerResponse, body: string) => void,
  given: Readonly<Record<string, string>> = { 'X-Team': 'blue' },
  credentials = '',
): Promise<Connected> {
  const requests: IncomingHttpHeaders[] = [];
  const messages: unknown[] = [];
  const server = createServer((request, response) => {
    requests.push(request.headers);
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => answer(response, body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const { transport } = createHttpTransport({ type: 'http', url, headers: given }, 1000);
  t.after(async () => {
    await transport.close();
    server.close();
    server.closeAllConnections();
  });
  hear(transport, (each) => void messages.push(each));
  await transport.start();
  return { transport, requests, messages };
}

/** Delivers the messages to this receiver. */
function hear(transport: ChannelTransport, onmessage: NonNullable<ChannelTransport['onmessage']>): void {
  Object.assign(transport, { onmessage });
}

/** Returns the requests to a server with these responses, and the messages that arrive. */
async function asked(
  t: TestContext,
  answer: (response: ServerResponse) => void,
  message: JSONRPCMessage = call,
): Promise<{ requests: IncomingHttpHeaders[]; messages: unknown[]; failure: unknown }> {
  const { transport, requests, messages } = await connected(t, answer);
  const arrived = new Promise<void>((resolve) => {
    hear(transport, (each) => {
      messages.push(each);
      resolve();
    });
  });
  const over = Promise.withResolvers<void>();
  const failure = await transport.send(message, { onRequestStreamEnd: over.resolve }).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure === undefined) await Promise.race([arrived, over.promise]);
  return { requests, messages, failure };
}

/** The part of `AbortSignal` that a call guarantees. APIs that need a real signal reject it. */
class LightSignal implements AbortSignalLike {
  aborted = false;
  reason: unknown;
  readonly listeners = new Set<AbortListener>();

  addEventListener(_type: 'abort', listener: AbortListener): void {
    this.listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: AbortListener): void {
    this.listeners.delete(listener);
  }

  abort(reason: Error): void {
    Object.assign(this, { aborted: true, reason });
    for (const listener of this.listeners) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }
}

const respond =
  (type: string, body: string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'Content-Type': type }).end(body);

describe('a call of a tool over HTTP', () => {
  test('is asked once and answered, as a JSON document and as a stream of events', async (t) => {
    const event = `event: message\ndata: ${JSON.stringify(result)}\n\n`;
    for (const answer of [
      respond('application/json; charset=utf-8', JSON.stringify(result)),
      respond('text/event-stream', event),
    ]) {
      const { requests, messages } = await asked(t, answer);
      assert.deepEqual(messages, [result]);
      assert.equal(requests.length, 1);
      assert.equal(requests[0]?.['x-team'], 'blue');
    }
  });

  test('carries the headers of its revision', async (t) => {
    const _meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const modern = { ...call, params: { name: 'echo', _meta } };
    const { requests } = await asked(t, respond('application/json', JSON.stringify(result)), modern);
    const { 'mcp-protocol-version': version, 'mcp-method': method, 'mcp-name': name } = requests[0] ?? {};
    assert.deepEqual({ version, method, name }, { version: '2026-07-28', method: 'tools/call', name: 'echo' });
  });

  test('is not asked again when the answer is refused, no message, too large or cut off', async (t) => {
    const cutOff = (response: ServerResponse): void => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 100 }).write('{');
      setImmediate(() => response.destroy());
    };
    for (const answer of [
      respond('text/plain', 'no', 500),
      respond('application/json', '{"jsonrpc":"1.0"}'),
      respond('application/json', '{'),
      respond('application/json', `"${'x'.repeat(2000)}"`),
      respond('text/html', '<p>'),
      respond('text/event-stream', `data: ${'x'.repeat(2000)}\n`, 500),
      cutOff,
    ]) {
      const { requests, messages, failure } = await asked(t, answer);
      assert.ok(failure instanceof Error);
      assert.deepEqual([requests.length, messages], [1, []]);
    }
  });

  test('is over when nothing that came answers it', { timeout: 20_000 }, async (t) => {
    const other = { ...result, id: 'another' };
    assert.deepEqual((await asked(t, respond('application/json', JSON.stringify(other)))).messages, [other]);
    for (const answer of [
      respond('application/json', '[]'),
      // A stream that never ends.
      (response: ServerResponse) =>
        void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: x\n'.repeat(500)),
    ]) {
      const { requests, messages, failure } = await asked(t, answer);
      assert.deepEqual([requests.length, messages, failure], [1, [], undefined]);
    }
  });
});

describe('the headers of a call over HTTP', () => {
  const answer = respond('application/json', JSON.stringify(result));

  test('have what its address says of who asks, unless the configuration says it', async (t) => {
    for (const [given, expected] of [
      [{}, `Basic ${btoa('ann:p w')}`],
      [{ Authorization: 'Bearer x' }, 'Bearer x'],
    ] as const) {
      const { transport, requests } = await connected(t, answer, given, 'ann:p%20w@');
      await transport.send(call);
      assert.deepEqual([requests.length, requests[0]?.authorization], [1, expected]);
      assert.match(requests[0]?.host ?? '', /^127\.0\.0\.1:\d+$/);
    }
  });

  test('say nothing twice, whatever is configured', async (t) => {
    for (const [name, value] of [
      ['Host', 'inside.example'],
      ['Accept', 'text/plain'],
      ['Mcp-Name', 'another'],
    ] as const) {
      const { transport, requests, messages } = await connected(t, answer, { [name]: value });
      await transport.send(call);
      assert.deepEqual([requests.length, messages], [1, [result]]);
      assert.equal(requests[0]?.['content-length'], String(JSON.stringify(call).length));
      assert.ok(requests[0]?.[name.toLowerCase()]?.includes(value));
      assert.ok(!/(.*), \1$/.test(String(requests[0]?.[name.toLowerCase()])));
    }
  });

  test('that cannot be sent fail the call, and only that', async (t) => {
    const { transport, requests } = await connected(t, answer, { 'X-Team': 'blue\n' });
    await assert.rejects(
      transport.send(call),
      /the value of the header "x-team" has a character that HTTP does not allow/,
    );
    assert.equal(requests.length, 0);
  });
});

describe('a call over HTTP that is cancelled', () => {
  const streaming = (response: ServerResponse): void =>
    void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': on its way\n\n');
  const beginning = (response: ServerResponse): void =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).write('{');

  for (const [what, answer] of [
    ['before it is answered', () => undefined],
    ['while the document of its answer comes', beginning],
    ['while the stream of its answer is open', streaming],
  ] as const) {
    test(`${what} closes its connection, and no other`, async (t) => {
      const closed = Promise.withResolvers<void>();
      const came = Promise.withResolvers<void>();
      const other = Promise.withResolvers<ServerResponse>();
      const { transport, messages } = await connected(t, (response, body) => {
        if (body.includes('"other"')) return other.resolve(response);
        response.on('close', closed.resolve);
        answer(response);
        came.resolve();
      });
      const signal = new LightSignal();
      const reason = new Error('enough');
      const another = transport.send({ ...call, id: 'other' });
      // It resolves when its stream is open.
      const ended = transport.send(call, { requestSignal: signal }).then(
        () => 'streams',
        (error: unknown) => error,
      );
      await within(came.promise, 'the request to come');
      if (answer === streaming) await within(ended, 'the stream to be open');
      signal.abort(reason);
      await within(closed.promise, 'the connection to be closed');
      assert.equal(await within(ended, 'the call to end'), answer === streaming ? 'streams' : reason);
      respond('application/json', JSON.stringify({ ...result, id: 'other' }))(await other.promise);
      await within(another, 'the other call to end');
      assert.deepEqual(messages, [{ ...result, id: 'other' }]);
    });
  }

  test('before it has left is not sent, and one that is cancelled already fails at once', async (t) => {
    const { transport, requests } = await connected(t, respond('application/json', JSON.stringify(result)));
    const reason = new Error('enough');
    const signal = new LightSignal();
    const leaving = transport.send(call, { requestSignal: signal });
    signal.abort(reason);
    await assert.rejects(leaving, reason);
    await assert.rejects(transport.send(call, { requestSignal: signal }), reason);
    await transport.send(call);
    assert.equal(requests.length, 1);
  });

  test('with headers of its own is cancelled as well', async (t) => {
    const came = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const { transport, requests } = await connected(t, (response) => {
      response.on('close', closed.resolve);
      came.resolve();
    });
    const signal = new LightSignal();
    const sent = transport.send(call, { requestSignal: signal, headers: { 'x-one': '1' } });
    await within(came.promise, 'the request to come');
    signal.abort(new Error('enough'));
    await assert.rejects(within(sent, 'the call to end'));
    await within(closed.promise, 'the connection to be closed');
    assert.equal(requests[0]?.['x-one'], '1');
  });

  test('leaves nothing that listens, when it was answered before', async (t) => {
    const { transport } = await connected(t, respond('application/json', JSON.stringify(result)));
    const signal = new LightSignal();
    await transport.send(call, { requestSignal: signal });
    assert.equal(signal.listeners.size, 0);
  });
});

test('a message that comes besides an answer has the caller of its request, in documents and in streams', async (t) => {
  const answer = (response: ServerResponse, body: string): void => {
    const { id } = JSON.parse(body) as { id: string };
    const messages = [
      { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: id } },
      { ...result, id },
    ];
    if (id.startsWith('document')) respond('application/json', JSON.stringify(messages))(response);
    else respond('text/event-stream', messages.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''))(response);
  };
  const { transport } = await connected(t, answer);
  const ids = Array.from({ length: 8 }, (_, index) => [`document-${index}`, `stream-${index}`]).flat();
  // Runs twice: the second run reuses pooled connections.
  for (let round = 0; round < 2; round += 1) {
    const over = Promise.withResolvers<void>();
    let open = ids.length;
    const callers = new Map(ids.map((id) => [id, new RunningCall({ client: undefined })]));
    const heard = new Map<unknown, unknown>();
    hear(transport, (message, extra) => {
      if ('method' in message) heard.set(message.params?.['data'], extra?.caller);
      else if ((open -= 1) === 0) over.resolve();
    });
    for (const id of ids) transport.send({ ...call, id }, { caller: callers.get(id) }).catch(over.reject);
    await within(over.promise, 'every answer', () => `${open} missing`);
    assert.deepEqual(heard, callers);
  }
});

describe('a response stream that breaks off', () => {
  test('is resumed where the server gave event ids, without sending the request again', async (t) => {
    const methods: unknown[] = [];
    const { transport, requests, messages } = await connected(t, (response) => {
      const { 'last-event-id': lastEventId } = requests.at(-1) ?? {};
      methods.push([response.req.method, lastEventId]);
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.end(lastEventId === undefined ? 'id: 7\nretry: 10\ndata:\n\n' : `data: ${JSON.stringify(result)}\n\n`);
    });
    const over = Promise.withResolvers<void>();
    hear(transport, (message) => {
      messages.push(message);
      over.resolve();
    });
    await transport.send(call);
    await within(over.promise, 'the answer');
    assert.deepEqual(messages, [result]);
    assert.deepEqual(methods, [
      ['POST', undefined],
      ['GET', '7'],
    ]);
  });

  test('is over at once where it gave none', async (t) => {
    const { messages, requests } = await asked(t, (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': on its way\n\n');
      setImmediate(() => response.destroy());
    });
    assert.deepEqual([messages, requests.length], [[], 1]);
  });
});

test('the session of the server is named in every request, and ended at the close', async (t) => {
  const initialize = { jsonrpc: '2.0', id: 'i', method: 'initialize', params: {} } as const;
  const sessions: unknown[] = [];
  const { transport } = await connected(t, (response) => {
    sessions.push([response.req.method, response.req.headers['mcp-session-id']]);
    response.setHeader('Mcp-Session-Id', 's1');
    respond('application/json', JSON.stringify({ ...result, id: 'i' }))(response);
  });
  await transport.send(initialize);
  await transport.send(call);
  await transport.send(initialize);
  await transport.close();
  assert.deepEqual(sessions, [
    ['POST', undefined],
    ['POST', 's1'],
    ['POST', undefined],
    ['DELETE', 's1'],
  ]);
});
