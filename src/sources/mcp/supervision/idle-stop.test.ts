import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { boxed, until } from '../../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import type { CallResult } from '../../../index.ts';

function textOf({ content }: CallResult): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a server with `idleStopMs`', () => {
  test('stops without calls, keeps its tools, and starts again for the next call, which waits for it', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram('legacy', '--pid'), idleStopMs: 100 });
    const first = Number(textOf(await box.call('mcp__fixture__echo_pid')));
    const { version } = box.catalog();
    await until(() => server.health().state === 'idle' && !isAlive(first), 'its process has exited');
    assert.equal(box.catalog().version, version, 'the catalog does not change');
    assert.ok(box.tools().some(({ name }) => name === 'mcp__fixture__echo'));
    await wait(300);
    assert.equal(server.health().state, 'idle', 'it does not start without a call');
    // Several at once: one process for all of them.
    const pids = await Promise.all([1, 2, 3].map(() => box.call('mcp__fixture__echo_pid')));
    assert.equal(new Set(pids.map(textOf)).size, 1);
    assert.notEqual(Number(textOf(pids[0] ?? assert.fail())), first);
    assert.equal(server.health().restarts, 1);
  });

  test('does not stop during a call', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), idleStopMs: 50 });
    const result = await box.call('mcp__fixture__wait', { ms: 400 });
    assert.deepEqual([result.outcome, server.health().restarts], ['completed', 0]);
  });

  test('loses no call, at any time between stop and start', { timeout: 300_000 }, async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), idleStopMs: 20 });
    for (let round = 0; round < 25; round += 1) {
      await wait(10 + (round % 20));
      const text = `round ${round}`;
      const result = await box.call('mcp__fixture__echo', { text });
      assert.deepEqual([result.outcome, textOf(result)], ['completed', text], JSON.stringify(result.error));
    }
    assert.ok(server.health().restarts > 0, 'it was stopped between calls');
  });

  test('is down with the reason when it cannot start again, and recovers automatically when it can', async (t) => {
    let isBroken = false;
    const transport = () => (isBroken ? { type: 'stdio' as const, command: 'no-such-program' } : fixtureProgram());
    const { box, server } = await boxed(t, { transport, idleStopMs: 50 });
    await until(() => server.health().state === 'idle', 'the server is idle');
    isBroken = true;
    const refused = await box.call('mcp__fixture__echo', { text: 'a' });
    assert.deepEqual([refused.outcome, refused.error?.code], ['failed', 'server-down']);
    assert.match(refused.error?.message ?? '', /"no-such-program" was not found/);
    assert.equal(box.catalog().servers.at(-1)?.status, 'down');
    isBroken = false;
    await until(() => box.catalog().servers.at(-1)?.status === 'up', 'the server is up');
    assert.equal((await box.call('mcp__fixture__echo', { text: 'a' })).outcome, 'completed');
  });

  test('can be restarted and closed while it is idle', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), idleStopMs: 50 });
    await until(() => server.health().state === 'idle', 'the server is idle');
    await box.servers.restart('fixture');
    assert.equal(server.health().state, 'up');
    await until(() => server.health().state === 'idle', 'the server is idle again');
    await box.close();
    assert.equal(server.health().state, 'stopped');
  });
});
