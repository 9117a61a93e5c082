/** Runs the named benchmarks, or all of them: `npm run bench -- pipeline`. Writes results.json and draws its charts. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { drawCharts } from './support/chart-files.ts';
import { readResults, environmentFor } from './support/results.ts';

const here = import.meta.dirname;
const all = readdirSync(here)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark named ${unknown.join(', ')}; there are ${all.join(', ')}`);
  process.exit(2);
}
const machine = `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`;
console.log(machine);
for (const name of wanted.length === 0 ? all : wanted) {
  const env = environmentFor(name, machine);
  const { status } = spawnSync(process.execPath, [join(here, `${name}.ts`)], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
drawCharts(readResults());
