import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openCoreBox } from '../support/boxes/core-box.ts';
import { isFull, reportScenario } from '../support/faults.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { testSource, testTool } from '../support/boxes/test-source.ts';
import { runAndKill } from './run-and-kill.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const kills = isFull() ? 60 : 20;
const program = fileURLToPath(new URL('./approving-process.ts', import.meta.url));

test(
  'two processes that request, approve and run the same calls while they are killed: one run for each used approval, and no other',
  { timeout: 900_000 },
  async (t) => {
    const data = temporaryDirectory(t);
    const random = seeded(runSeed);
    // The races of this test concern calls, not the creation of the file.
    await (await openCoreBox(join(data, 'signalbox.db'), [])).close();
    let killed = 0;
    const acknowledged: string[] = [];
    const countEffects = (): number =>
      existsSync(join(data, 'effects')) ? readFileSync(join(data, 'effects'), 'utf8').split('\n').length - 1 : 0;
    const hasEnoughKills = (): boolean => killed >= kills && countEffects() - acknowledged.length > kills / 2;
    const killRepeatedly = async (): Promise<void> => {
      // On a busy machine a process does little before it is killed, so later ones live longer and more of them are killed.
      let lifetimeFactor = 1;
      while (!hasEnoughKills() && killed++ < 20 * kills) {
        const effects = countEffects();
        const lines = await runAndKill(program, [data], (20 + random() * 150) * lifetimeFactor);
        acknowledged.push(...lines.slice(1));
        if (countEffects() === effects) lifetimeFactor = Math.min(lifetimeFactor * 2, 64);
      }
    };
    await Promise.all([killRepeatedly(), killRepeatedly()]);

    const box = await openCoreBox(join(data, 'signalbox.db'), [testSource('bank', [testTool('pay')])]);
    const approvals = await box.approvals.list({ all: true, limit: 1_000_000 });
    const byCall = new Map(approvals.flatMap((each) => (each.usedBy === undefined ? [] : [[each.usedBy, each]])));
    const effects = readFileSync(join(data, 'effects'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ') as [string, string]);
    assert.equal(new Set(effects.map(([call]) => call)).size, effects.length, 'no call acted twice');
    for (const [call, account] of effects)
      assert.deepEqual(byCall.get(call)?.arguments, { account: Number(account) }, `${call} (seed ${runSeed})`);
    const unknown: string[] = [];
    for (const call of byCall.keys()) {
      const entry = await box.journal.call(call);
      assert.ok(entry?.type === 'ToolInvoked', `${call} has an outcome`);
      if (entry.outcome === 'unknown') unknown.push(call);
    }
    for (const call of acknowledged) assert.ok(byCall.has(call) && !unknown.includes(call), `acknowledged ${call}`);
    assert.ok(unknown.length > kills / 4, `only ${unknown.length} calls were interrupted: the test shows little`);
    assert.ok((await box.journal.verify()).ok);
    reportScenario(t, {
      scenario: 'kill -9 around approvals',
      rounds: killed,
      acknowledged: acknowledged.length,
      lost: 0,
      duplicates: 0,
      unknown: unknown.length,
      note: `${approvals.length} approvals, ${byCall.size} used`,
    });
    await box.close();
  },
);
