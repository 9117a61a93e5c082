/** Measures a checkpoint of a workspace with 50,000 files, one of which has changed, compared with other methods. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checkpoints } from '../src/workspace/checkpoints.ts';
import { durationOf, median, spreadOf } from './support/measure.ts';
import { storeFigure } from './support/results.ts';

const files = 50_000;
const rounds = Number(process.env['ROUNDS'] ?? 7);
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-undo-'));
const [workspace, repository, shadow] = ['workspace', 'repository', 'shadow'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];

function createFiles(root: string): void {
  for (let folder = 0; folder < files / 20; folder += 1) {
    const folderPath = join(root, `package-${folder % 50}`, `source-${Math.floor(folder / 50)}`);
    mkdirSync(folderPath, { recursive: true });
    for (let file = 0; file < 20; file += 1)
      writeFileSync(join(folderPath, `module-${file}.ts`), `export const number = ${folder * 20 + file};\n`.repeat(20));
  }
}

function git(cwd: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
  const settings = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'gc.auto=0'];
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', ...environment };
  execFileSync('git', [...settings, ...args], { cwd, env, stdio: 'ignore' });
}

const inShadow = { GIT_DIR: shadow, GIT_WORK_TREE: workspace };
let calls = 0;

try {
  createFiles(workspace);
  createFiles(repository);
  git(repository, ['init', '-q']);
  git(repository, ['add', '-A']);
  git(repository, ['commit', '-qm', 'all']);
  git(workspace, ['init', '-q', '--bare', shadow]);
  const firstShadow = await durationOf(() => git(workspace, ['add', '-A'], inShadow));
  mkdirSync(join(directory, 'data'));
  const checkpoints = new Checkpoints(join(directory, 'data'));
  const first = await durationOf(async () => (await checkpoints.begin('call_first', [workspace])).finish());

  const changed = join('package-7', 'source-7', 'module-7.ts');
  const samples = { ours: [], changes: [], stash: [], shadow: [], copy: [] } as Record<string, number[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const root of [workspace, repository]) appendFileSync(join(root, changed), `// ${round}\n`);
    const copy = join(directory, 'copy');
    let checkpoint: Awaited<ReturnType<Checkpoints['begin']>> | undefined;
    const measured = {
      ours: await durationOf(async () => (checkpoint = await checkpoints.begin(`call_${(calls += 1)}`, [workspace]))),
      changes: await durationOf(() => checkpoint?.finish()),
      shadow: await durationOf(() => {
        git(workspace, ['add', '-A'], inShadow);
        git(workspace, ['write-tree'], inShadow);
      }),
      stash: await durationOf(() => git(repository, ['stash', 'push', '-q', '-u'])),
      copy: await durationOf(() => cpSync(workspace, copy, { recursive: true, verbatimSymlinks: true })),
    };
    rmSync(copy, { recursive: true });
    if (round >= 0) for (const [name, time] of Object.entries(measured)) samples[name]?.push(time);
  }
  await checkpoints.close();

  const ours = median(samples['ours'] ?? []);
  const shown = [
    ['ours', 'Signalbox'],
    ['shadow', 'shadow git repository (add -A, write-tree)'],
    ['stash', 'git stash -u'],
    ['copy', 'recursive copy'],
    ['changes', 'Signalbox, finding the changes after the call'],
  ] as const;
  const title = `A checkpoint of ${files.toLocaleString('en')} files, one of them changed`;
  // A copy takes so long that the chart would not show the other values.
  const bars = shown.flatMap(([key, name]) => {
    const times = samples[key] ?? [];
    return key === 'copy' ? [] : [{ name, value: median(times), spread: spreadOf(times) }];
  });
  storeFigure({ title, unit: 'ms', isMoreBetter: false, bars });
  console.log(`\n${title}; medians of ${rounds} rounds\n`);
  console.log('| | ms (spread) | against ours |\n|---|---|---|');
  for (const [name, subject] of shown) {
    const times = samples[name] ?? [];
    const spread = [Math.min(...times), Math.max(...times)].map((time) => time.toFixed(0)).join('–');
    console.log(`| ${subject} | ${median(times).toFixed(0)} (${spread}) | ${(median(times) / ours).toFixed(2)}× |`);
  }
  console.log(`\nThe first time: Signalbox ${first.toFixed(0)} ms, shadow git repository ${firstShadow.toFixed(0)} ms`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}
