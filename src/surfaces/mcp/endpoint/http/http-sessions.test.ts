import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { createSignalbox } from '../../../../index.ts';
import type { Peer } from '../caller.ts';
import { McpEndpoint } from '../mcp-endpoint.ts';
import { Refusal } from '../wire.ts';
import type { HttpSession } from './http-session.ts';
import { HttpSessions, type SessionLimits } from './http-sessions.ts';

interface Room {
  begin(principal: string): HttpSession;
  isThere(session: HttpSession): boolean;
  end(session: HttpSession): void;
}

async function room(t: TestContext, limits: SessionLimits): Promise<Room> {
  const box = await createSignalbox();
  const endpoint = new McpEndpoint({ box });
  const sessions = new HttpSessions(endpoint, limits);
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
    isThere(session) {
      const { seen } = session;
      const found = sessions.find(session.id, session.conversation.peer) !== undefined;
      session.seen = seen;
      return found;
    },
    end: (session) => void sessions.end(session),
  };
}

describe('the sessions of all clients', () => {
  test('a principal with its share loses its own that was idle longest, and nobody else loses any', async (t) => {
    const { begin, isThere } = await room(t, { most: 10, mostOfOne: 3 });
    const quiet = begin('quiet');
    const loud = Array.from({ length: 20 }, () => begin('loud'));
    assert.ok(isThere(quiet));
    assert.deepEqual(loud.filter(isThere), loud.slice(-3));
  });

  test('without any room, whoever has most makes room', async (t) => {
    const { begin, isThere } = await room(t, { most: 4, mostOfOne: 3 });
    const quiet = begin('quiet');
    const loud = [begin('loud'), begin('loud'), begin('loud')];
    const third = begin('third');
    assert.deepEqual([quiet, ...loud, third].map(isThere), [true, false, true, true, true]);
  });

  test('one that ended makes room, and a share in use is refused more', async (t) => {
    const { begin, isThere, end } = await room(t, { most: 10, mostOfOne: 2 });
    const [one, two] = [begin('a'), begin('a')];
    end(one);
    const three = begin('a');
    assert.deepEqual([two, three].map(isThere), [true, true]);
    for (const session of [two, three]) Object.defineProperty(session, 'isInUse', { value: true });
    assert.throws(
      () => begin('a'),
      (error) => error instanceof Refusal && error.status === 503,
    );
    assert.ok(isThere(begin('b')));
  });
});
