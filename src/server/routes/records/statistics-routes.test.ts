import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from '@hono/zod-openapi';
import { seedJournal } from '../../../../test/support/journal/seed-journal.ts';
import { bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { ToolInvoked } from '../../../journal/entries/journal-event.ts';
import { sqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import type { statisticsSchema } from './statistics-routes.ts';

type Body = z.output<typeof statisticsSchema>;

const until = Date.parse('2026-11-15T12:00:00Z');

describe('GET /api/statistics', () => {
  it('counts calls, outcomes and latencies in total, by time, by tool and by server', async (test) => {
    const store = sqliteStore();
    await seedJournal(store, { calls: 3000, until, spanMs: 6 * 3_600_000 });
    const { get, box } = await startTestServer(test, { box: await openSignalbox({ store }) });
    const found = await bodyOf<Body>(
      get(`/api/statistics?since=${until - 3 * 3_600_000}&until=${until}&bucketSeconds=1800`),
    );
    const calls: ToolInvoked[] = [];
    for await (const entry of box.journal.stream({ type: 'ToolInvoked', since: until - 3 * 3_600_000, until }))
      if (entry.type === 'ToolInvoked') calls.push(entry);
    assert.ok(calls.length > 1000);
    assert.deepEqual(found.total, tallyOf(calls));
    assert.deepEqual(
      found.buckets,
      Array.from({ length: 6 }, (_, index) => {
        const from = until - 3 * 3_600_000 + index * 1_800_000;
        const inside = calls.filter(({ at }) => Date.parse(at) >= from && Date.parse(at) < from + 1_800_000);
        return { at: new Date(from).toISOString(), ...tallyOf(inside) };
      }),
    );
    assert.equal(found.servers.length, 6);
    for (const { server, ...tally } of found.servers)
      assert.deepEqual(tally, tallyOf(calls.filter((call) => call.server === server)));
    assert.equal(found.tools.length, 10);
    for (const { tool, server, ...tally } of found.tools)
      assert.deepEqual(tally, tallyOf(calls.filter((call) => call.tool === tool && call.server === server)));
    assert.ok(
      found.tools.every(({ calls: count }, index) => index === 0 || count <= (found.tools[index - 1]?.calls ?? 0)),
    );
    const narrowed = await bodyOf<Body>(
      get(`/api/statistics?since=${until - 3 * 3_600_000}&until=${until}&server=git`),
    );
    assert.deepEqual(narrowed.total, tallyOf(calls.filter(({ server }) => server === 'git')));
    assert.deepEqual([narrowed.servers.length, narrowed.tools.length, narrowed.bucketSeconds], [1, 2, 300]);
    const tool = await bodyOf<Body>(
      get(`/api/statistics?since=${until - 3_600_000}&until=${until}&tool=mcp__ci__deploy`),
    );
    assert.deepEqual(
      tool.tools.map((each) => each.tool),
      ['mcp__ci__deploy'],
    );
  });

  it('includes a call as soon as it ended, for the last day by default, and lists no unknown tools', async (test) => {
    const { get, call } = await startTestServer(test);
    const empty = await bodyOf<Body>(get('/api/statistics'));
    assert.deepEqual([empty.total, empty.tools, empty.servers], [{ calls: 0, outcomes: {} }, [], []]);
    assert.deepEqual([empty.bucketSeconds, empty.buckets.length >= 48], [1800, true]);
    await call('echo', { arguments: { text: 'a' } });
    await call('invented');
    const { total, tools, servers } = await bodyOf<Body>(get('/api/statistics'));
    assert.deepEqual([total.calls, total.outcomes], [2, { completed: 1, denied: 1 }]);
    assert.deepEqual([tools.map((each) => each.tool), servers.map((each) => each.calls)], [['mcp__test__echo'], [1]]);
  });

  it('refuses an end before the start, too many buckets and invalid values', async (test) => {
    const { get } = await startTestServer(test);
    for (const query of [
      'since=2026-01-02&until=2026-01-01',
      'since=2026-01-01&until=2026-01-02&bucketSeconds=1',
      'bucketSeconds=0',
      'bucketSeconds=9007199254740',
      'until=9999999999999999',
      'x=1',
    ])
      assert.equal((await get(`/api/statistics?${query}`)).status, 400, query);
    for (const query of [
      'since=1970-01-01',
      'since=-271821-04-20T00:00:00Z',
      'since=1960-01-01&bucketSeconds=3000000000',
    ])
      assert.equal((await get(`/api/statistics?${query}`)).status, 200, query);
  });
});

function tallyOf(calls: readonly ToolInvoked[]): object {
  const outcomes: Record<string, number> = {};
  for (const { outcome } of calls) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const durations = calls
    .filter(({ outcome }) => ['completed', 'failed', 'timed-out'].includes(outcome))
    .flatMap(({ durationMs }) => durationMs ?? [])
    .toSorted((one, other) => one - other);
  const at = (share: number): number | undefined => durations[Math.ceil(durations.length * share) - 1];
  const latency = durations.length === 0 ? {} : { latencyMs: { p50: at(0.5), p95: at(0.95), p99: at(0.99) } };
  return { calls: calls.length, outcomes, ...latency };
}
