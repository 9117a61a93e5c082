import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { postgresStore } from '../../src/index.ts';
import { verifyChain } from '../../src/journal/integrity/hash-chain.ts';
import type { StoredEntry } from '../../src/journal/entries/stored-entry.ts';
import { until } from '../mcp-servers/boxed.ts';
import { isFull, reportScenario } from '../support/faults.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { ServedLoad } from './served-load.ts';

const cluster = await startPostgres({ durable: isFull() });
after(() => cluster.end());

const random = seeded(runSeed);
/** Outages of PostgreSQL; each returns a function that ends it. */
const outages = {
  'is stopped': () => cluster.stop().then(() => () => cluster.start()),
  crashes: () => cluster.crash().then(() => () => cluster.start()),
  hangs: () => {
    cluster.pause();
    return Promise.resolve(() => Promise.resolve(cluster.resume()));
  },
};
const deadlineMs = 60_000;
const beforeMs = isFull() ? 5000 : 1500;
const windowMs = 1000;

describe('server under load whose PostgreSQL', () => {
  const lengths = isFull() ? [1000 + random() * 4000, 20_000] : [1000];
  for (const [how, startOutage] of Object.entries(outages))
    for (const [index, length] of lengths.entries())
      test(
        `${how}${index === 0 ? '' : ' for long'}: nothing acts unrecorded, callers get clear errors, and calls run again afterwards`,
        { timeout: 300_000 },
        async (t) => {
          const address = cluster.address(`${how.replace(' ', '_')}_${index}`);
          const load = new ServedLoad(address);
          await load.start();
          await until(() => load.calls.length > 100, 'calls run');
          const startedAt = performance.now();
          await wait(beforeMs);
          const outageAt = performance.now();
          const endOutage = await startOutage();
          await wait(length);
          await endOutage();
          const recoveredAt = performance.now();
          await until(() => load.rate(recoveredAt, performance.now()) > 0, 'calls run again');
          await wait(isFull() ? 10_000 : 2000);
          const rates = [load.rate(startedAt, outageAt), load.rate(performance.now() - beforeMs, performance.now())];
          // Other processes may have slowed the machine down meanwhile.
          const recoveryMs = recoveryTime(load, Math.min(...rates), recoveredAt);
          await load.stopCalling();
          assert.ok(load.isAlive, 'the server still runs');

          const failed = load.calls.filter(({ outcome }) => outcome !== 'completed');
          const longestErrorMs = Math.max(0, ...failed.map(({ ms }) => ms));
          assert.ok(longestErrorMs < deadlineMs, `a caller waited ${longestErrorMs} ms for an error`);
          for (const { outcome, code } of failed)
            assert.match(
              `${outcome} ${code}`,
              /^(failed journal-unavailable|unknown outcome-unrecorded|refused store-unavailable)$/,
            );
          const counts = await checkJournal(load, address);
          const ended = await load.end();
          assert.equal(ended.code, 0, ended.stderr);
          reportScenario(t, {
            scenario: `PostgreSQL ${how} for ${(length / 1000).toFixed(0)} s`,
            rounds: 1,
            ...counts,
            longestErrorMs,
            recoveryMs,
            note: `${failed.length} rejected; ${rates.map((rate) => Math.round(rate)).join(' → ')} calls/s`,
          });
          if (isFull()) assert.ok(recoveryMs < 5000, `full rate only after ${Math.round(recoveryMs)} ms`);
        },
      );
});

/** Returns the time after `recoveredAt` until the rate was normal again, within its natural variation. */
function recoveryTime(load: ServedLoad, normalRate: number, recoveredAt: number): number {
  let start = recoveredAt;
  while (load.rate(start, start + windowMs) < normalRate * 0.7 && start < performance.now()) start += windowMs / 5;
  return start - recoveredAt;
}

/** Compares the answers of the server and the effects of the tool with the journal. */
async function checkJournal(
  load: ServedLoad,
  address: string,
): Promise<{ acknowledged: number; lost: number; duplicates: number; unknown: number }> {
  const store = await postgresStore({ address });
  try {
    let entries: readonly StoredEntry[] = [];
    const ended = new Map<string, string>();
    // Interrupted calls get their outcome a little later.
    await until(async () => {
      entries = await store.entries({ order: 'oldest-first', limit: 1_000_000 });
      ended.clear();
      for (const { type, call, outcome } of entries) {
        if (type !== 'ToolInvoked') continue;
        assert.ok(!ended.has(call), `${call} has two outcomes`);
        ended.set(call, outcome);
      }
      return entries.every(({ type, call }) => type !== 'CallStarted' || ended.has(call));
    }, 'every call has an outcome');
    const started = new Set(entries.flatMap(({ type, call }) => (type === 'CallStarted' ? [call] : [])));
    const effects = load.effects();
    const acted = new Set(effects);
    for (const call of effects) assert.ok(started.has(call), `${call} acted without a recorded intent`);
    const acknowledged = load.calls.filter(({ outcome }) => outcome === 'completed');
    const lost = acknowledged.filter(({ callId }) => ended.get(callId) !== 'completed');
    assert.deepEqual(lost, [], 'every acknowledged call is recorded');
    for (const { callId, outcome } of load.calls)
      if (outcome === 'failed') assert.ok(!acted.has(callId), `${callId} was reported as not run`);
    assert.equal(acted.size, effects.length, 'nothing acted twice');
    assert.equal((await verifyChain(store)).ok, true);
    const unknown = [...ended.values()].filter((outcome) => outcome === 'unknown').length;
    return { acknowledged: acknowledged.length, lost: 0, duplicates: 0, unknown };
  } finally {
    await store.close();
  }
}
