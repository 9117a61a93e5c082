import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { begin, eventsIn, messageOf, readUntil, send } from '../../../../../test/mcp-clients/raw.ts';
import { serving, token } from '../../../../../test/mcp-clients/serving.ts';
import { defineTool, localServer } from '../../../../index.ts';

const authorized = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };

function ask(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

/** A tool that logs a message and waits until `open` is called. */
function gate(): { server: ReturnType<typeof localServer>; open: () => void; cancelled: Promise<void> } {
  const opened = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: { type: 'object' },
    effect: 'read',
    async run(_, { progress, signal }) {
      signal.addEventListener('abort', () => cancelled.resolve());
      progress({ progress: 1, message: 'begun' });
      await Promise.race([opened.promise, cancelled.promise]);
      progress({ progress: 2, message: 'opened' });
      return 'waited';
    },
  });
  return { server: localServer({ name: 'gate', tools: [wait] }), open: opened.resolve, cancelled: cancelled.promise };
}

const waiting = { name: 'mcp__gate__wait', arguments: {}, _meta: { progressToken: 'p' } };

describe('a session', () => {
  test('does not exist for anybody but the principal that began it', async (t) => {
    const { box, url } = await serving(t, {});
    const { token: other } = await box.tokens.create({ role: 'agent', by: { id: 'user:test', kind: 'human' } });
    const session = await begin(url);
    const asOther = { ...session, Authorization: `Bearer ${other}` };
    assert.equal((await send(url, ask(1, 'tools/list'), session)).status, 200);
    assert.equal((await send(url, ask(1, 'tools/list'), asOther)).status, 404);
    assert.equal((await fetch(url, { headers: { ...asOther, Accept: 'text/event-stream' } })).status, 404);
    assert.equal((await fetch(url, { method: 'DELETE', headers: asOther })).status, 404);
    assert.equal((await send(url, ask(2, 'tools/list'), session)).status, 200, 'it is still there');
  });

  test('is over when its client says so, and then asks for a new one', async (t) => {
    const { url } = await serving(t, {});
    const session = await begin(url);
    const headers = { ...session, ...authorized };
    assert.equal((await fetch(url, { method: 'DELETE', headers })).status, 204);
    const response = await send(url, ask(1, 'tools/list'), session);
    assert.equal(response.status, 404);
    assert.equal((await messageOf(response)).error?.code, -32_001);
  });

  test('of 2025-03-26 takes lists of messages and answers with a list; those of other revisions refuse them', async (t) => {
    const { url } = await serving(t, {});
    const began = async (protocolVersion: string): Promise<Record<string, string>> => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
      const response = await send(url, ask(0, 'initialize', params));
      await response.text();
      return { 'Mcp-Session-Id': response.headers.get('mcp-session-id') ?? '' };
    };
    const session = await began('2025-03-26');
    const call = ask(2, 'tools/call', { name: 'mcp__signalbox__ping', arguments: {} });
    const notified = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
    const batch = `[${ask(1, 'ping')},${notified},${call},${ask(3, 'none')},{"jsonrpc":"2.0","id":4},7,${ask(5, 'initialize')}]`;
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
    const silent = await send(url, `[${notified}]`, session);
    assert.deepEqual([silent.status, await silent.text()], [202, '']);
    const many = `[${Array.from({ length: 101 }, () => notified).join()}]`;
    const refused = [
      await send(url, '[]', session),
      await send(url, many, session),
      await send(url, batch, await began('2025-06-18')),
      await send(url, batch),
    ];
    for (const each of refused) {
      assert.equal(each.status, 400);
      assert.equal((await messageOf(each)).error?.code, -32_600);
    }
  });

  test('a request without one, or of another revision, is refused', async (t) => {
    const { url } = await serving(t, {});
    const session = await begin(url);
    assert.equal((await send(url, ask(1, 'tools/list'))).status, 400);
    assert.equal(
      (await send(url, ask(1, 'tools/list'), { ...session, 'MCP-Protocol-Version': '1999-01-01' })).status,
      400,
    );
    const named = { ...authorized, 'MCP-Protocol-Version': '2025-11-25' };
    assert.equal((await fetch(url, { headers: named })).status, 405);
  });

  test('tells of changed tools on the stream that belongs to no request', async (t) => {
    const { box, url } = await serving(t, {});
    const session = await begin(url);
    const stream = await fetch(url, { headers: { ...session, ...authorized } });
    box.servers.add(gate().server);
    const text = await readUntil(stream, (read) => read.includes('list_changed'));
    assert.deepEqual(
      eventsIn(text).map(({ data }) => (JSON.parse(data) as { method: string }).method),
      ['notifications/tools/list_changed'],
    );
  });

  test('what was told before anybody listened is heard by the first who does, once', async (t) => {
    const { box, url } = await serving(t, {});
    const session = await begin(url);
    box.servers.disable('signalbox');
    await (await send(url, ask(1, 'ping'), session)).text();
    const headers = { ...session, ...authorized };
    const first = await fetch(url, { headers });
    const heard = await readUntil(first, (read) => read.includes('list_changed'));
    assert.equal(eventsIn(heard).length, 1);
    const second = await fetch(url, { headers });
    box.servers.add(gate().server);
    assert.equal(eventsIn(await readUntil(second, (read) => read.includes('list_changed'))).length, 1);
  });

  test('a stream that was lost goes on where it was, with the answer that came meanwhile', async (t) => {
    const { server, open } = gate();
    const { url } = await serving(t, { servers: [server] });
    const session = await begin(url);
    const lost = await send(url, ask(7, 'tools/call', waiting), session);
    const before = eventsIn(await readUntil(lost, (text) => text.includes('begun')));
    const last = before.at(-1)?.id;
    assert.ok(last !== undefined);
    open();
    const resumed = await fetch(url, { headers: { ...session, ...authorized, 'Last-Event-ID': last } });
    const after = eventsIn(await readUntil(resumed, (text) => text.includes('"result"')));
    const said = after.map(({ data }) => JSON.parse(data) as { id?: number; params?: { message: string } });
    assert.deepEqual(
      said.map(({ id, params }) => id ?? params?.message),
      ['opened', 7],
      'nothing twice, nothing missing',
    );
  });

  test('cancelling a request reaches the tool', async (t) => {
    const { server, cancelled } = gate();
    const { url } = await serving(t, { servers: [server] });
    const session = await begin(url);
    const response = await send(url, ask(7, 'tools/call', waiting), session);
    const params = { requestId: 7 };
    const notice = await send(
      url,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }),
      session,
    );
    assert.equal(notice.status, 202);
    await cancelled;
    assert.equal((await messageOf(response)).result?.isError, true);
  });

  test('cancelling one request of a list ends that one alone', async (t) => {
    const { server, open } = gate();
    open();
    const { url } = await serving(t, { servers: [server] });
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
    const began = await send(url, ask(0, 'initialize', params));
    await began.text();
    const session = { 'Mcp-Session-Id': began.headers.get('mcp-session-id') ?? '', Accept: 'application/json' };
    const calls = [7, 8].map((id) => ask(id, 'tools/call', { ...waiting, _meta: {} }));
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

  test('a client that hangs up before anything was said ends its request', async (t) => {
    const { server, cancelled } = gate();
    const { url } = await serving(t, { servers: [server] });
    const session = await begin(url);
    const hangUp = new AbortController();
    const call = fetch(url, {
      method: 'POST',
      headers: {
        ...session,
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      },
      body: ask(1, 'tools/call', waiting),
      signal: hangUp.signal,
    });
    setTimeout(() => hangUp.abort(), 200);
    await assert.rejects(call);
    await cancelled;
  });

  test('calls are for the tools that the client was shown: one that changed since is not run', async (t) => {
    const tool = (description: string): ReturnType<typeof localServer> =>
      localServer({
        name: 'shop',
        tools: [
          defineTool({ name: 'buy', description, input: { type: 'object' }, effect: 'read', run: () => 'bought' }),
        ],
      });
    const { box, url } = await serving(t, { servers: [tool('Buys one.')] });
    const session = await begin(url);
    await (await send(url, ask(1, 'tools/list'), session)).text();
    await box.servers.replace(tool('Buys ten.')).close();
    const call = ask(2, 'tools/call', { name: 'mcp__shop__buy', arguments: {} });
    const stale = await messageOf(send(url, call, session));
    assert.equal(stale.result?.isError, true);
    assert.match(stale.result?.content?.[0]?.text ?? '', /changed/);
    await (await send(url, ask(3, 'tools/list'), session)).text();
    assert.equal((await messageOf(send(url, call, session))).result?.content?.[0]?.text, 'bought');
  });
});
