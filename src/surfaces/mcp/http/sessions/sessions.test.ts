import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begin, eventsIn, messageOf, readUntil, send } from '../../../../../test/mcp-clients/raw.ts';
import { serving, token } from '../../../../../test/mcp-clients/serving.ts';
import { defineTool, localServer } from '../../../../index.ts';

const authorized = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };

function request(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** A tool that reports progress and waits until `open` is called. */
function createGate(): {
  server: ReturnType<typeof localServer>;
  open: () => void;
  begun: Promise<void>;
  cancelled: Promise<void>;
} {
  const begun = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    effect: 'read',
    async run(_, { progress, signal }) {
      signal.addEventListener('abort', () => cancelled.resolve());
      begun.resolve();
      progress({ progress: 1, message: 'begun' });
      await Promise.race([opened.promise, cancelled.promise]);
      progress({ progress: 2, message: 'opened' });
      return 'waited';
    },
  });
  return {
    server: localServer({ name: 'gate', tools: [wait] }),
    open: opened.resolve,
    begun: begun.promise,
    cancelled: cancelled.promise,
  };
}

const waiting = { name: 'mcp__gate__wait', arguments: {}, _meta: { progressToken: 'p' } };

describe('an HTTP session', () => {
  test('is unknown to any principal except the one that began it', async (t) => {
    const { box, url } = await serving(t, {});
    const { token: other } = await box.tokens.create({ role: 'agent', by: { id: 'user:test', kind: 'human' } });
    const session = await begin(url);
    const asOther = { ...session, Authorization: `Bearer ${other}` };
    assert.equal((await send(url, request(1, 'tools/list'), session)).status, 200);
    assert.equal((await send(url, request(1, 'tools/list'), asOther)).status, 404);
    assert.equal((await fetch(url, { headers: { ...asOther, Accept: 'text/event-stream' } })).status, 404);
    assert.equal((await fetch(url, { method: 'DELETE', headers: asOther })).status, 404);
    assert.equal((await send(url, request(2, 'tools/list'), session)).status, 200, 'the session still exists');
  });

  test('ends when its client deletes it; later requests get the error for an unknown session', async (t) => {
    const { url } = await serving(t, {});
    const session = await begin(url);
    const headers = { ...session, ...authorized };
    assert.equal((await fetch(url, { method: 'DELETE', headers })).status, 204);
    const response = await send(url, request(1, 'tools/list'), session);
    assert.equal(response.status, 404);
    assert.equal((await messageOf(response)).error?.code, -32_001);
  });

  test('of 2025-03-26 accepts batches and answers with a batch; other revisions refuse them', async (t) => {
    const { url } = await serving(t, {});
    const initialize = async (protocolVersion: string): Promise<Record<string, string>> => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
      const response = await send(url, request(0, 'initialize', params));
      await response.text();
      return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
    };
    const session = await initialize('2025-03-26');
    const call = request(2, 'tools/call', { name: 'mcp__signalbox__ping', arguments: {} });
    const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const batch = `[${request(1, 'ping')},${notification},${call},${request(3, 'none')},{"jsonrpc":"2.0","id":4},7,${request(5, 'initialize')}]`;
    const response = await send(url, batch, session);
    assert.equal(response.status, 200);
    const answers = (await response.json()) as { id: unknown; result?: object; error?: { code: number } }[];
    assert.deepEqual(
      answers.map(({ id, error }) => [id, error?.code]),
      [
        [1, undefined],
        [2, undefined],
        [3, -32_601],
        [4, -32_600],
        [null, -32_600],
        [5, -32_600],
      ],
    );
    assert.match(JSON.stringify(answers[1]), /pong/);
    const accepted = await send(url, `[${notification}]`, session);
    assert.deepEqual([accepted.status, await accepted.text()], [202, '']);
    const many = `[${Array.from({ length: 101 }, () => notification).join()}]`;
    const refused = [
      await send(url, '[]', session),
      await send(url, many, session),
      await send(url, batch, await initialize('2025-06-18')),
      await send(url, batch),
    ];
    for (const each of refused) {
      assert.equal(each.status, 400);
      assert.equal((await messageOf(each)).error?.code, -32_600);
    }
  });

  test('refuses a request without a session or with an unknown revision', async (t) => {
    const { url } = await serving(t, {});
    const session = await begin(url);
    assert.equal((await send(url, request(1, 'tools/list'))).status, 400);
    assert.equal(
      (await send(url, request(1, 'tools/list'), { ...session, 'MCP-Protocol-Version': '1999-01-01' })).status,
      400,
    );
    const withVersion = { ...authorized, 'MCP-Protocol-Version': '2025-11-25' };
    assert.equal((await fetch(url, { headers: withVersion })).status, 405);
  });

  test('notifies of changed tools on the standalone stream', async (t) => {
    const { box, url } = await serving(t, {});
    const session = await begin(url);
    const stream = await fetch(url, { headers: { ...session, ...authorized } });
    box.servers.add(createGate().server);
    const text = await readUntil(stream, (read) => read.includes('list_changed'));
    assert.deepEqual(
      eventsIn(text).map(({ data }) => (JSON.parse(data) as { method: string }).method),
      ['notifications/tools/list_changed'],
    );
  });

  test('delivers earlier notifications once, on the first standalone stream', async (t) => {
    const { box, url } = await serving(t, {});
    const session = await begin(url);
    box.servers.disable('signalbox');
    await (await send(url, request(1, 'ping'), session)).text();
    const headers = { ...session, ...authorized };
    const first = await fetch(url, { headers });
    const received = await readUntil(first, (read) => read.includes('list_changed'));
    assert.equal(eventsIn(received).length, 1);
    const second = await fetch(url, { headers });
    box.servers.add(createGate().server);
    assert.equal(eventsIn(await readUntil(second, (read) => read.includes('list_changed'))).length, 1);
  });

  test('resumes a lost stream, with the response that was sent in between', async (t) => {
    const { server, open } = createGate();
    const { url } = await serving(t, { servers: [server] });
    const session = await begin(url);
    const lost = await send(url, request(7, 'tools/call', waiting), session);
    const before = eventsIn(await readUntil(lost, (text) => text.includes('begun')));
    const last = before.at(-1)?.id;
    assert.ok(last !== undefined);
    open();
    const resumed = await fetch(url, { headers: { ...session, ...authorized, 'Last-Event-ID': last } });
    const after = eventsIn(await readUntil(resumed, (text) => text.includes('"result"')));
    const messages = after.map(({ data }) => JSON.parse(data) as { id?: number; params?: { message: string } });
    assert.deepEqual(
      messages.map(({ id, params }) => id ?? params?.message),
      ['opened', 7],
      'no event is duplicated or missing',
    );
  });

  test('a cancellation reaches the tool', async (t) => {
    const { server, cancelled } = createGate();
    const { url } = await serving(t, { servers: [server] });
    const session = await begin(url);
    const response = await send(url, request(7, 'tools/call', waiting), session);
    const params = { requestId: 7 };
    const cancellation = await send(
      url,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }),
      session,
    );
    assert.equal(cancellation.status, 202);
    await cancelled;
    assert.equal((await messageOf(response)).result?.isError, true);
  });

  test('cancelling one request of a batch ends only that request', async (t) => {
    const { server, open } = createGate();
    open();
    const { url } = await serving(t, { servers: [server] });
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const initialized = await send(url, request(0, 'initialize', params));
    await initialized.text();
    const session = { 'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '', Accept: 'application/json' };
    const calls = [7, 8].map((id) => request(id, 'tools/call', { ...waiting, _meta: {} }));
    const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    const response = await send(url, `[${calls.join()},${cancel}]`, session);
    const answers = (await response.json()) as { id: number; result: { isError?: boolean } }[];
    assert.deepEqual(
      answers.map(({ id, result }) => [id, result.isError === true]),
      [
        [7, true],
        [8, false],
      ],
    );
  });

  test('a client that disconnects before any output cancels its request', async (t) => {
    const { server, begun, cancelled } = createGate();
    const { url } = await serving(t, { servers: [server] });
    const session = await begin(url);
    const disconnect = new AbortController();
    const call = fetch(url, {
      method: 'POST',
      headers: {
        ...session,
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      body: request(1, 'tools/call', waiting),
      signal: disconnect.signal,
    });
    await begun;
    disconnect.abort();
    await assert.rejects(call);
    await cancelled;
  });

  test('does not run a tool that has changed since the client listed it', async (t) => {
    const tool = (description: string): ReturnType<typeof localServer> =>
      localServer({
        name: 'shop',
        tools: [
          defineTool({ name: 'buy', description, input: { type: 'object' }, effect: 'read', run: () => 'bought' }),
        ],
      });
    const { box, url } = await serving(t, { servers: [tool('Buys one.')] });
    const session = await begin(url);
    await (await send(url, request(1, 'tools/list'), session)).text();
    await box.servers.replace(tool('Buys ten.')).close();
    const call = request(2, 'tools/call', { name: 'mcp__shop__buy', arguments: {} });
    const stale = await messageOf(send(url, call, session));
    assert.equal(stale.result?.isError, true);
    assert.match(stale.result?.content?.[0]?.text ?? '', /changed/);
    await (await send(url, request(3, 'tools/list'), session)).text();
    assert.equal((await messageOf(send(url, call, session))).result?.content?.[0]?.text, 'bought');
  });
});
