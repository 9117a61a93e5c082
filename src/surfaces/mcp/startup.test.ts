import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { type TestSource, testSource, testTool } from '../../../test/support/boxes/test-source.ts';
import { within } from '../../../test/support/within.ts';
import { type Signalbox, type SignalboxOptions, createSignalbox } from '../../index.ts';
import { McpEndpoint } from './mcp-endpoint.ts';
import { type Answer, Prepared, type WireRequest } from './protocol/wire-messages.ts';

/** A server in its first start, and a function that completes the start. */
function startingServer(name: string): { source: TestSource; up(): void } {
  const source = testSource(name);
  source.change({ down: { reason: 'it is being connected to', since: Date.now(), isStarting: true } });
  return { source, up: () => source.change({ up: true, tools: [testTool('look', { run: () => `${name} looked` })] }) };
}

interface TestSession {
  readonly box: Signalbox;
  /** Returns the methods of the received notifications. */
  readonly notified: string[];
  ask(method: string, params?: WireRequest['params']): Promise<unknown>;
}

async function openSession(
  t: TestContext,
  servers: readonly TestSource[],
  options: SignalboxOptions = {},
): Promise<TestSession> {
  const box = await createSignalbox({ servers, ...options });
  const endpoint = new McpEndpoint({ box });
  const notified: string[] = [];
  const channel = {
    canSend: true,
    send: (text: string) => void notified.push((JSON.parse(text) as { method: string }).method),
  };
  const profile = Object.keys(options.profiles ?? {})[0];
  const session = endpoint.session(
    { principal: { id: 'client', kind: 'agent' }, view: endpoint.view(profile) },
    channel,
  );
  t.after(async () => {
    session.close();
    endpoint.close();
    await box.close({ graceMs: 0 });
  });
  let id = 0;
  const ask = async (method: string, params: WireRequest['params'] = {}): Promise<unknown> => {
    const answer: Answer = await session.serve({ kind: 'request', id: (id += 1), method, params }, channel);
    return answer instanceof Prepared ? JSON.parse(answer.bytes.toString()) : answer;
  };
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
  return { box, notified, ask };
}

const waitForever = { startup: { waitMs: 3_600_000 } };
const listed = (answer: unknown): string[] =>
  (answer as { tools: { name: string }[] }).tools.map(({ name }) => name).filter((name) => name.endsWith('look'));

describe('MCP endpoint while servers start', () => {
  test('answers initialize and ping; tools/list waits for all servers, and no notification follows', async (t) => {
    const servers = ['one', 'two', 'three'].map(startingServer);
    const { notified, ask } = await openSession(
      t,
      servers.map(({ source }) => source),
      waitForever,
    );
    assert.deepEqual(await ask('ping'), {});
    let isListed = false;
    const list = ask('tools/list').finally(() => (isListed = true));
    for (const { up } of servers) {
      await new Promise(setImmediate);
      assert.equal(isListed, false, 'the list waits');
      up();
    }
    assert.deepEqual(listed(await within(list, 'the list')), ['mcp__one__look', 'mcp__two__look', 'mcp__three__look']);
    await new Promise(setImmediate);
    assert.deepEqual(notified, []);
  });

  test('a client that listed earlier gets one notification for all servers', async (t) => {
    const servers = ['one', 'two', 'three'].map(startingServer);
    const { notified, ask } = await openSession(
      t,
      servers.map(({ source }) => source),
      { startup: { waitMs: 0 } },
    );
    assert.deepEqual(listed(await ask('tools/list')), []);
    for (const { up } of servers) {
      assert.deepEqual(notified, []);
      up();
      await Promise.resolve();
    }
    await until(() => notified.length > 0, 'the notification');
    assert.deepEqual(notified, ['notifications/tools/list_changed']);
    assert.equal(listed(await ask('tools/list')).length, 3);
  });

  test('a server that never responds delays the tools and notifications of the others only for a bounded time', async (t) => {
    const [hanging, other] = [startingServer('hanging'), startingServer('other')];
    const { notified, ask } = await openSession(t, [hanging.source, other.source], { startup: { waitMs: 50 } });
    assert.deepEqual(listed(await within(ask('tools/list'), 'the list')), []);
    other.up();
    await until(() => notified.length > 0, 'the notification about the other server');
    assert.deepEqual(notified, ['notifications/tools/list_changed']);
    assert.deepEqual(listed(await within(ask('tools/list'), 'the list')), ['mcp__other__look']);
  });

  test('a list waits only for servers that its profile can show', async (t) => {
    const [shown, other] = [startingServer('shown'), startingServer('other')];
    const { ask } = await openSession(t, [shown.source, other.source], {
      ...waitForever,
      profiles: { narrow: { servers: ['shown'] } },
    });
    const list = ask('tools/list');
    shown.up();
    assert.deepEqual(listed(await within(list, 'the list')), ['mcp__shown__look']);
  });

  test('a call waits only for the server of its tool, by its full name and its own name', async (t) => {
    for (const [name, profiles] of [
      ['mcp__slow__look', { all: {} }],
      ['look', { all: { names: 'own' as const, servers: ['slow'] } }],
    ] as const) {
      const [slow, hanging] = [startingServer('slow'), startingServer('hanging')];
      const { ask } = await openSession(t, [slow.source, hanging.source], { ...waitForever, profiles });
      const call = ask('tools/call', { name, arguments: {} });
      await new Promise(setImmediate);
      slow.up();
      assert.match(JSON.stringify(await within(call, `the call of ${name}`)), /slow looked/);
    }
  });

  test('a call ends at its deadline, and when its caller cancels it', async (t) => {
    const { box } = await openSession(t, [startingServer('slow').source], waitForever);
    const late = await box.call('mcp__slow__look', {}, { deadline: Date.now() + 20 });
    assert.deepEqual([late.outcome, late.error?.code], ['timed-out', 'deadline-exceeded']);
    assert.match(late.error?.message ?? '', /while server "slow" was starting/);
    const cancelling = new AbortController();
    const call = box.call('mcp__slow__look', {}, { signal: cancelling.signal });
    cancelling.abort();
    assert.equal((await call).outcome, 'cancelled');
  });

  test('a call fails with the reason when its server is down or does not have the tool', async (t) => {
    const [down, other] = [startingServer('down'), startingServer('other')];
    const { box } = await openSession(t, [down.source, other.source], waitForever);
    const [refused, unknown] = [box.call('mcp__down__look'), box.call('mcp__other__lok')];
    await new Promise(setImmediate);
    down.source.change({ down: { reason: 'it crashed', since: Date.now() } });
    other.up();
    assert.deepEqual([(await refused).error?.code, (await unknown).error?.code], ['server-down', 'tool-unknown']);
  });
});
