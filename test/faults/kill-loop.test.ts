import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type JournalEvent, createSignalbox } from '../../src/index.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { runAndKill } from './run-and-kill.ts';

const rounds = 200;
const program = fileURLToPath(new URL('./killed-process.ts', import.meta.url));

test(
  'kill -9 in a loop while calls run: acknowledged outcomes are kept, the rest reads unknown, the chain verifies',
  { timeout: 900_000 },
  async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-kill-'));
    t.after(() => rmSync(data, { recursive: true }));
    const seed = runSeed;
    const random = seeded(seed);
    const acknowledged = new Map<string, string>();
    for (let round = 0; round < rounds; round++) {
      for (const line of await runAndKill(program, [data], 1 + random() * 40)) {
        const [call = '', outcome = ''] = line.split(' ');
        acknowledged.set(call, outcome);
      }
    }

    const box = await createSignalbox({ data });
    const verification = await box.journal.verify();
    assert.ok(verification.ok, JSON.stringify(verification));
    const started = new Set<string>();
    const ended = new Map<string, JournalEvent & { type: 'ToolInvoked' }>();
    for await (const event of box.journal.stream()) {
      if (event.type === 'CallStarted') started.add(event.callId);
      if (event.type !== 'ToolInvoked') continue;
      assert.ok(!ended.has(event.callId), `${event.callId} has two outcomes`);
      ended.set(event.callId, event);
    }
    for (const [call, outcome] of acknowledged)
      assert.equal(ended.get(call)?.outcome, outcome, `acknowledged ${call} (seed ${seed})`);
    for (const call of started) assert.ok(ended.has(call), `${call} was started and has no outcome (seed ${seed})`);
    const effects = readFileSync(join(data, 'effects'), 'utf8').trimEnd().split('\n');
    for (const call of effects) assert.ok(started.has(call), `${call} acted without a recorded intent (seed ${seed})`);
    assert.equal(new Set(effects).size, effects.length, 'nothing ran twice');
    const unknown = [...ended.values()].filter((event) => event.outcome === 'unknown');
    for (const event of unknown) assert.ok(!acknowledged.has(event.callId));
    assert.ok(
      unknown.length > rounds / 4,
      `only ${unknown.length} calls were caught in between: the test shows little`,
    );
    assert.ok(acknowledged.size > rounds, `only ${acknowledged.size} calls were acknowledged`);
    t.diagnostic(
      `${rounds} kills (seed ${seed}): ${acknowledged.size} acknowledged, ${effects.length} effects, ${unknown.length} unknown, ${verification.entries} entries`,
    );
    await box.close();
  },
);
