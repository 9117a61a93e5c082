import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { UndoEngine } from '../../src/workspace/undo-engine.ts';
import { isFull, reportScenario } from '../support/faults.ts';
import { createMemoryDirectory } from '../support/temporary-directory.ts';
import { runSeed, seeded } from '../support/seeded.ts';
import { treeFingerprint } from '../support/undo/tree-fingerprint.ts';
import { runProgram } from './run-and-kill.ts';

const directory = createMemoryDirectory('undo-kill');
after(() => rmSync(directory, { recursive: true, force: true }));

const program = fileURLToPath(new URL('./undo-process.ts', import.meta.url));
const rounds = isFull() ? 60 : 12;
const limits = { files: 100_000, bytes: 1e9, milliseconds: 60_000 };

test('an undo that is killed and run again restores the same tree', { timeout: 900_000 }, async (t) => {
  let halfDone = 0;
  const random = seeded(runSeed);
  // The test learns how long undos take on this machine: kills before or after an undo show nothing.
  let longestMs = 60;
  // On a busy machine many kills come too early or too late, so the test runs more rounds until enough of them hit.
  const hasEnoughHits = (): boolean => halfDone > rounds / 5;
  for (let round = 0; round < rounds || (!hasEnoughHits() && round < 20 * rounds); round += 1) {
    const [data, root] = [join(directory, `data-${round}`), join(directory, `tree-${round}`)];
    mkdirSync(data);
    createTree(root);
    const before = treeFingerprint(root);
    const engine = new UndoEngine({ data, limits });
    engine.begin('call_1', [root]);
    changeTree(root);
    const changed = treeFingerprint(root);
    engine.finish('call_1');
    for (let kills = 0; ; kills += 1) {
      const isDone = await runAndKill(data, kills < 5 ? random() * longestMs : undefined);
      if (isDone && kills < 5) longestMs /= 1.3;
      if (isDone) break;
      const now = treeFingerprint(root);
      if (isEqual(now, changed)) longestMs *= 1.3;
      else if (!isEqual(now, before)) halfDone += 1;
    }
    assert.deepEqual(treeFingerprint(root), before, `round ${round}`);
    assert.deepEqual(readdirSync(join(data, 'undo', 'plans')), []);
    rmSync(root, { recursive: true });
    rmSync(data, { recursive: true });
  }
  reportScenario(t, { scenario: 'kill -9 in an undo of files', rounds, note: `${halfDone} killed half done` });
  assert.ok(hasEnoughHits(), `only ${halfDone} undos were killed half done: the test shows little`);
});

function createTree(root: string): void {
  for (let folder = 0; folder < 30; folder += 1) {
    mkdirSync(join(root, `d${folder}`), { recursive: true });
    for (let file = 0; file < 20; file += 1) writeFileSync(join(root, `d${folder}`, `f${file}`), `${folder} ${file}`);
  }
}

/** Changes, adds, removes and exchanges files, directories and symlinks. */
function changeTree(root: string): void {
  const script = [
    'for d in d1 d2 d3 d4 d5 d6; do for f in $d/*; do echo changed >> $f; done; done',
    'rm -r d7 d8; echo file > d7; mkdir -p new/deep/er; cp -r d9 new/deep/er/copy',
    'rm -r d10; ln -s d11 d10; rm d12/f1; mkdir d12/f1; echo in > d12/f1/in; chmod 700 d13; chmod 600 d13/*; mv d14 moved',
  ];
  execFileSync('/bin/sh', ['-ec', script.join('\n')], { cwd: root });
}

/** Runs the undo, kills it this long after its start, and returns whether it was done before. */
async function runAndKill(data: string, afterMs: number | undefined): Promise<boolean> {
  const { code, signal, output } = await runProgram(program, [data, 'call_1'], { killAfterMs: afterMs });
  assert.ok(signal === 'SIGKILL' || code === 0, `the program exited with ${code}`);
  return output.endsWith('done\n');
}

function isEqual(one: Map<string, string>, other: Map<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
