/** Runs the named benchmarks, or all: `npm run bench -- pipeline`. Writes `results.json` and the charts of its figures. */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { writeCharts } from './support/charts.ts';
import { readResults, environmentFor } from './support/results.ts';

const directory = import.meta.dirname;
const benchmarks = readdirSync(directory)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3));
const selected = process.argv.slice(2);
const unknown = selected.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark named ${unknown.join(', ')}. Choose from ${benchmarks.join(', ')}.`);
  process.exit(2);
}
const machine = `Node ${process.version}, ${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`;
console.log(machine);
for (const name of selected.length === 0 ? benchmarks : selected) {
  const env = environmentFor(name, machine);
  const { status } = spawnSync(process.execPath, [join(directory, `${name}.ts`)], { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
writeCharts(readResults());
