import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openCoreBox } from '../support/boxes/core-box.ts';
import { isFull, reportScenario } from '../support/faults.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { testSource, testTool } from '../support/boxes/test-source.ts';
import { runProgram } from './run-and-kill.ts';

const rounds = isFull() ? 500 : 60;
const concurrency = 4;
const program = fileURLToPath(new URL('./crashing-process.ts', import.meta.url));

test(
  'crashes between effect and record: every call is unknown, and a second delivery has no effect',
  { timeout: 900_000 },
  async (t) => {
    const data = createMemoryDirectory('crash');
    t.after(() => rmSync(data, { recursive: true }));
    // The races of this test concern calls, not the creation of the file.
    await (await openCoreBox(join(data, 'signalbox.db'), [])).close();
    let next = 0;
    const crash = async (): Promise<void> => {
      while (next < rounds) {
        const { code, signal, output } = await runProgram(program, [data, `key-${next++}`]);
        assert.equal(signal, 'SIGKILL', `the program exited with ${code}: ${output}`);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, crash));

    let secondEffects = 0;
    const act = testTool('act', { effect: 'irreversible', run: () => void (secondEffects += 1) });
    const box = await openCoreBox(join(data, 'signalbox.db'), [testSource('t', [act])]);
    const effects = readFileSync(join(data, 'effects'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]);
    assert.equal(effects.length, rounds);
    assert.equal(new Set(effects.map(([, key]) => key)).size, rounds, 'nothing acted twice');
    for (const [call, key] of effects) {
      const entry = await box.journal.call(call);
      assert.ok(entry?.type === 'ToolInvoked' && entry.outcome === 'unknown', `${call} is ${JSON.stringify(entry)}`);
      // Delivers the same call again, and makes the same call without its key: its approval is used up.
      assert.equal((await box.call('mcp__t__act', { key }, { idempotencyKey: key })).outcome, 'unknown');
      assert.equal((await box.call('mcp__t__act', { key }, { waitMs: 0 })).outcome, 'awaiting-approval');
    }
    assert.equal(secondEffects, 0);
    assert.ok((await box.journal.verify()).ok);
    await box.close();
    reportScenario(t, {
      scenario: 'kill -9 between effect and record',
      rounds,
      lost: 0,
      duplicates: 0,
      unknown: rounds,
    });
  },
);
