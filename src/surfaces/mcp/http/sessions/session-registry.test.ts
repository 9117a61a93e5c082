import { openSignalbox } from '../../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import type { Peer } from '../../requests/request-context.ts';
import { McpEndpoint } from '../../mcp-endpoint.ts';
import { Refusal } from '../../protocol/wire-messages.ts';
import type { HttpSession } from './http-session.ts';
import { SessionRegistry, type SessionLimits } from './session-registry.ts';

interface Registry {
  begin(principal: string): HttpSession;
  isFound(session: HttpSession): boolean;
  end(session: HttpSession): void;
}

async function openRegistry(t: TestContext, limits: SessionLimits): Promise<Registry> {
  const box = await openSignalbox();
  const endpoint = new McpEndpoint({ box });
  const sessions = new SessionRegistry(endpoint, limits);
  t.after(async () => {
    sessions.closeAll();
    endpoint.close();
    await box.close();
  });
  let time = 0;
  return {
    begin(principal) {
      const peer: Peer = { principal: { id: principal, kind: 'agent' }, view: endpoint.view(undefined) };
      const session = sessions.begin(peer);
      session.seen = time += 1;
      return session;
    },
    isFound(session) {
      const { seen } = session;
      const found = sessions.find(session.id, session.conversation.peer) !== undefined;
      session.seen = seen;
      return found;
    },
    end: (session) => void sessions.end(session),
  };
}

describe('SessionRegistry', () => {
  test('at its limit, a principal loses only its own longest idle session', async (t) => {
    const { begin, isFound } = await openRegistry(t, { maxSessions: 10, maxPerPrincipal: 3 });
    const quiet = begin('quiet');
    const loud = Array.from({ length: 20 }, () => begin('loud'));
    assert.ok(isFound(quiet));
    assert.deepEqual(loud.filter(isFound), loud.slice(-3));
  });

  test('at the total limit, replaces a session of the principal with the most sessions', async (t) => {
    const { begin, isFound } = await openRegistry(t, { maxSessions: 4, maxPerPrincipal: 3 });
    const quiet = begin('quiet');
    const loud = [begin('loud'), begin('loud'), begin('loud')];
    const third = begin('third');
    assert.deepEqual([quiet, ...loud, third].map(isFound), [true, false, true, true, true]);
  });

  test('an ended session frees its place; with all places in use, another session is refused', async (t) => {
    const { begin, isFound, end } = await openRegistry(t, { maxSessions: 10, maxPerPrincipal: 2 });
    const [one, two] = [begin('a'), begin('a')];
    end(one);
    const three = begin('a');
    assert.deepEqual([two, three].map(isFound), [true, true]);
    for (const session of [two, three]) Object.defineProperty(session, 'isInUse', { value: true });
    assert.throws(
      () => begin('a'),
      (error) => error instanceof Refusal && error.status === 503,
    );
    assert.ok(isFound(begin('b')));
  });
});

describe('SessionRegistry with a shared store', () => {
  const channel = { canSend: false, send: () => undefined };
  const params = { protocolVersion: '2025-11-25', capabilities: {} };

  /** Creates two registries that share a store, like two processes. */
  async function openSharedRegistries(
    t: TestContext,
    limits: SessionLimits = {},
  ): Promise<{ one: SessionRegistry; other: SessionRegistry; peer: Peer; begin(): Promise<HttpSession> }> {
    const box = await openSignalbox();
    const endpoints = [1, 2].map(() => new McpEndpoint({ box, shared: box.shared })) as [McpEndpoint, McpEndpoint];
    const [one, other] = endpoints.map((endpoint) => new SessionRegistry(endpoint, limits)) as [
      SessionRegistry,
      SessionRegistry,
    ];
    t.after(async () => {
      for (const sessions of [one, other]) sessions.closeAll();
      for (const endpoint of endpoints) endpoint.close();
      await box.close();
    });
    const peer: Peer = { principal: { id: 'a', kind: 'agent' }, view: endpoints[0].view(undefined) };
    const begin = async (): Promise<HttpSession> => {
      const session = one.begin(peer);
      await session.conversation.serve({ kind: 'request', id: 1, method: 'initialize', params }, channel);
      assert.ok(one.isEstablished(session));
      return session;
    };
    return { one, other, peer, begin };
  }

  test('a session lives while one process uses it, and expires in all processes when idle', async (t) => {
    const { one, other, peer, begin } = await openSharedRegistries(t);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const { id } = await begin();
    for (let minutes = 0; minutes < 120; minutes += 20) {
      t.mock.timers.tick(20 * 60_000);
      assert.ok(await one.find(id, peer));
      one.expireIdle();
      await new Promise(setImmediate);
    }
    assert.ok(await other.find(id, peer));
    t.mock.timers.tick(36 * 60_000);
    for (const sessions of [one, other]) {
      sessions.expireIdle();
      assert.equal(await sessions.find(id, peer), undefined);
    }
  });

  test('an evicted session ends in all processes, unless another process has used it since', async (t) => {
    const { one, other, peer, begin } = await openSharedRegistries(t, { maxSessions: 10, maxPerPrincipal: 2 });
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const [unused, used] = [await begin(), await begin()];
    t.mock.timers.tick(10 * 60_000);
    assert.ok(await other.find(used.id, peer));
    other.expireIdle();
    await new Promise(setImmediate);
    await begin();
    await begin();
    await new Promise(setImmediate);
    assert.equal(await other.find(unused.id, peer), undefined);
    assert.ok(await other.find(used.id, peer));
    assert.ok(await one.find(used.id, peer), 'it is loaded again');
  });
});
