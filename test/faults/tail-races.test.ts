import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { verifyChain } from '../../src/journal/integrity/hash-chain.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { isFull, reportScenario } from '../support/faults.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { runAndKill } from './run-and-kill.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const processes = 3;
const rounds = isFull() ? 12 : 4;
const program = fileURLToPath(new URL('./appending-process.ts', import.meta.url));

test(
  'processes that append to one journal and are killed: each acknowledged entry is stored once, at its reported position',
  { timeout: 600_000 },
  async (t) => {
    const directory = temporaryDirectory(t);
    const file = join(directory, 'signalbox.db');
    const random = seeded(runSeed);
    const acknowledged = new Map<string, string>();
    await Promise.all(
      Array.from({ length: processes }, async (_, process) => {
        for (let round = 0; round < rounds; round += 1) {
          const lines = await runAndKill(program, [file, `${process}_${round}`], 50 + random() * 250);
          for (const line of lines) {
            const [call = '', ...where] = line.split(' ');
            acknowledged.set(call, where.join(' '));
          }
        }
      }),
    );

    const store = sqliteStore({ file });
    const verification = await verifyChain(store);
    assert.ok(verification.ok, JSON.stringify(verification));
    const found = new Map<string, string>();
    for (const { call, seq, hash } of await store.entries({ order: 'oldest-first', limit: 1_000_000 })) {
      assert.ok(!found.has(call), `${call} is there twice (seed ${runSeed})`);
      found.set(call, `${seq} ${hash}`);
    }
    for (const [call, where] of acknowledged) assert.equal(found.get(call), where, `${call} (seed ${runSeed})`);
    assert.ok(acknowledged.size > 1000, `only ${acknowledged.size} entries were acknowledged`);
    reportScenario(t, {
      scenario: 'kill -9 of appending processes, SQLite',
      rounds: processes * rounds,
      acknowledged: acknowledged.size,
      lost: 0,
    });
    await store.close();
  },
);
