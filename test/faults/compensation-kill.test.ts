import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isFull, reportScenario } from '../support/faults.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { runProgram } from './run-and-kill.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const directory = temporaryDirectory({ after });

const program = fileURLToPath(new URL('./compensation-process.ts', import.meta.url));
const rounds = isFull() ? 20 : 6;

test(
  'kill -9 while a call is undone: the undo of its tool runs at most once, and an interrupted one is reported as failed',
  { timeout: 600_000 },
  async (t) => {
    const random = seeded(runSeed);
    for (let round = 0; round < rounds; round += 1) {
      const data = join(directory, String(round));
      const call = (await run([data])).at(-1) ?? '';
      // Every other round kills during the undo of the tool, the others around its start.
      const killAt = round % 2 === 0 ? { line: 'undoing', ms: 0 } : { line: 'ready', ms: random() * 20 };
      await run([data, call, '60000'], killAt);
      const before = undoCount(data);
      const outcome = (await run([data, call])).at(-1);
      if (round % 2 === 0) assert.equal(before, 1);
      // Either the process was killed before the undo began, or nobody knows how far it got.
      assert.equal(outcome, before === 0 && undoCount(data) === 1 ? 'undone' : 'failed', `round ${round}`);
      assert.equal(undoCount(data), outcome === 'undone' ? 1 : before, `round ${round}`);
    }
    reportScenario(t, { scenario: 'kill -9 in a tool’s own undo', rounds, duplicates: 0 });
  },
);

function undoCount(data: string): number {
  const file = join(data, 'cancelled');
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0;
}

/** Runs the program, kills it this long after it has printed a line, and returns its lines. */
async function run(args: readonly string[], killAt?: { line: string; ms: number }): Promise<string[]> {
  const { code, signal, output } = await runProgram(
    program,
    args,
    killAt === undefined ? {} : { killAfterMs: killAt.ms, at: new RegExp(`${killAt.line}\n`) },
  );
  assert.ok(killAt === undefined ? code === 0 : signal === 'SIGKILL', `it ended with ${code ?? signal}`);
  return output.split('\n').filter(Boolean);
}
