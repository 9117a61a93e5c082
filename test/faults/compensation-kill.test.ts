import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isFull, reportScenario } from '../support/faults.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { runProgram } from './run-and-kill.ts';

const place = mkdtempSync(join(tmpdir(), 'signalbox-compensation-kill-'));
after(() => rmSync(place, { recursive: true, force: true }));

const program = fileURLToPath(new URL('./compensation-process.ts', import.meta.url));
const rounds = isFull() ? 20 : 6;

test(
  'kill -9 while a call is undone: its tool’s own undo runs at most once, and one that was cut short is told',
  { timeout: 600_000 },
  async (t) => {
    const random = seeded(runSeed);
    for (let round = 0; round < rounds; round += 1) {
      const data = join(place, String(round));
      const call = (await run([data])).at(-1) ?? '';
      // Half of the time in the middle of the function, else at some moment around its beginning.
      const killAt = round % 2 === 0 ? { line: 'undoing', ms: 0 } : { line: 'ready', ms: random() * 20 };
      await run([data, call, '60000'], killAt);
      const before = cancelled(data);
      const outcome = (await run([data, call])).at(-1);
      if (round % 2 === 0) assert.equal(before, 1);
      // It was killed before the function had begun, or else nobody can tell how far it came.
      assert.equal(outcome, before === 0 && cancelled(data) === 1 ? 'undone' : 'failed', `round ${round}`);
      assert.equal(cancelled(data), outcome === 'undone' ? 1 : before, `round ${round}`);
    }
    reportScenario(t, { scenario: 'kill -9 in a tool’s own undo', rounds, duplicates: 0 });
  },
);

function cancelled(data: string): number {
  const file = join(data, 'cancelled');
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
}

/** Runs the program, and kills it so long after it has printed a line; answers the lines. */
async function run(args: readonly string[], killAt?: { line: string; ms: number }): Promise<string[]> {
  const { code, signal, output } = await runProgram(
    program,
    args,
    killAt === undefined ? {} : { killAfterMs: killAt.ms, at: new RegExp(`${killAt.line}\n`) },
  );
  assert.ok(killAt === undefined ? code === 0 : signal === 'SIGKILL', `it ended with ${code ?? signal}`);
  return output.split('\n').filter(Boolean);
}
