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

describe('a server that nobody calls', () => {
  test('is stopped, keeps its tools, and is started again by the next call, which waits for it', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram('legacy', '--pid'), idleStopMs: 100 });
    const first = Number(textOf(await box.call('mcp__fixture__echo_pid')));
    const { version } = box.catalog();
    await until(() => server.health().state === 'idle' && !isAlive(first), 'its process is gone');
    assert.equal(box.catalog().version, version, 'the catalog does not hear of it');
    assert.ok(box.tools().some(({ name }) => name === 'mcp__fixture__echo'));
    await wait(300);
    assert.equal(server.health().state, 'idle', 'it is not started again by itself');
    // Several at once: one process for all of them.
    const pids = await Promise.all([1, 2, 3].map(() => box.call('mcp__fixture__echo_pid')));
    assert.equal(new Set(pids.map(textOf)).size, 1);
    assert.notEqual(Number(textOf(pids[0] ?? assert.fail())), first);
    assert.equal(server.health().restarts, 1);
  });

  test('is not stopped while a call is under way', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), idleStopMs: 50 });
    const result = await box.call('mcp__fixture__wait', { ms: 400 });
    assert.deepEqual([result.outcome, server.health().restarts], ['completed', 0]);
  });

  test('no call is lost, however it falls between stopping and starting', { timeout: 300_000 }, async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), idleStopMs: 20 });
    for (let round = 0; round < 25; round += 1) {
      await wait(10 + (round % 20));
      const text = `round ${round}`;
      const result = await box.call('mcp__fixture__echo', { text });
      assert.deepEqual([result.outcome, textOf(result)], ['completed', text], JSON.stringify(result.error));
    }
    assert.ok(server.health().restarts > 0, 'it was stopped in between');
  });

  test('one that cannot be started again is down with the reason; it comes back by itself when it can', async (t) => {
    let isBroken = false;
    const transport = () => (isBroken ? { type: 'stdio' as const, command: 'no-such-program' } : fixtureProgram());
    const { box, server } = await boxed(t, { transport, idleStopMs: 50 });
    await until(() => server.health().state === 'idle', 'it is idle');
    isBroken = true;
    const refused = await box.call('mcp__fixture__echo', { text: 'a' });
    assert.deepEqual([refused.outcome, refused.error?.code], ['failed', 'server-down']);
    assert.match(refused.error?.message ?? '', /"no-such-program" was not found/);
    assert.equal(box.catalog().servers.at(-1)?.status, 'down');
    isBroken = false;
    await until(() => box.catalog().servers.at(-1)?.status === 'up', 'it is back');
    assert.equal((await box.call('mcp__fixture__echo', { text: 'a' })).outcome, 'completed');
  });

  test('an idle server can be restarted and closed', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram(), idleStopMs: 50 });
    await until(() => server.health().state === 'idle', 'it is idle');
    await box.servers.restart('fixture');
    assert.equal(server.health().state, 'up');
    await until(() => server.health().state === 'idle', 'it is idle again');
    await box.close();
    assert.equal(server.health().state, 'stopped');
  });
});
