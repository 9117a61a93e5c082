/**
 * What `npm test` runs.
 *
 *   npm test                      the gates, all tests, then what the requirements ask for
 *   npm test -- src/journal …     the tests in these files, folders or globs, without gates
 *   npm test -- --gates           only the gates
 *   npm test -- --tests           only the tests
 *   npm test -- --longest 60 …    ends a test file after so many seconds (1200)
 *
 * `npm run faults` is `--faults`: the fault tests in their full size (all that have one, or those named), and a table of what they showed.
 * `--seed N` repeats the random choices of an earlier run.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { requirements } from './requirements.ts';
import { root } from './support/command.ts';
import { buildOnce } from './support/build-once.ts';
import { tableOfShown } from './support/faults.ts';
import { missingEvidence } from './support/evidence.ts';
import { gates, type Gate } from './support/gates.ts';
import { ProcessWatch } from './support/processes.ts';
import { Report } from './support/report.ts';
import { runSeed } from './support/seeded.ts';
import { runTestFile, type TestResult } from './support/test-file.ts';

const { values: asked, positionals: chosen } = parseArgs({
  options: {
    gates: { type: 'boolean', default: false },
    tests: { type: 'boolean', default: false },
    longest: { type: 'string', default: '1200' },
    faults: { type: 'boolean', default: false },
    seed: { type: 'string' },
  },
  allowPositionals: true,
});
const report = new Report();
const diagnostics: string[] = [];
const watch = new ProcessWatch();
const running = new Set<string>();
let stopping = false;
// Hundreds of processes load the same modules: what one has compiled, the next need not.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'tests');
// Tests write configurations by hand. The tests of trust itself unset it.
process.env['SIGNALBOX_TRUST'] ??= 'all';
// The compiler and the linter are written in Go, and end before it is worth their while to clean up as they go.
process.env['GOGC'] ??= '400';
// More than there are processors: many tests wait for something, too.
const workers = availableParallelism() + 1;
// In their full size they compare rates and times, which others would disturb.
const alone = ['test/faults/database-outage', 'test/faults/overload', 'test/faults/sick-server'];
// Those that take longest, so that nothing is left to run alone at the end.
const long = [
  'src/runtimes/claude/cli/claude-cli-runtime',
  'src/runtimes/claude/claude-runtime',
  'test/faults',
  'src/sources/mcp',
  'test/browser',
  'test/e2e',
  'examples',
  'test/support',
  'bench',
  'test/conformance',
  'test/documents/programs',
  'src/workspace/random-trees',
  'src/sources/local',
  'src/store',
];

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  process.once(signal, () => stop(code));
}
if (process.env['npm_lifecycle_event'] !== undefined) {
  // a stopped npm takes only its shell along, so its end is ours to notice
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && stop(143), 500).unref();
}

if (asked.seed !== undefined) process.env['SIGNALBOX_SEED'] = asked.seed;
if (asked.faults)
  await runFaults(
    chosen.length > 0 ? findTests(chosen) : findTests(['test/faults', 'src/workspace']).filter(hasFullForm),
  );
else if (chosen.length > 0) await runTests(chosen);
else if (asked.gates && !asked.tests) await severalAtATime(gates, 2, runGate);
else checkRequirements(await runTests(['src', 'test', 'examples', 'bench'], asked.tests ? [] : gates));
process.exitCode = report.finish();

function stop(code: number): void {
  if (stopping) return;
  stopping = true;
  for (const name of running) report.check(false, name, 0, 'still running when the run was stopped');
  report.finish();
  void watch.end().finally(() => process.exit(code));
}

/** Keeps in mind what is running, for `stop`, after which nothing goes on. */
async function tracked<Value>(name: string, work: Promise<Value>): Promise<Value> {
  running.add(name);
  const value = await work;
  running.delete(name);
  return stopping ? new Promise<never>(() => {}) : value;
}

async function runGate(gate: Gate): Promise<void> {
  const started = performance.now();
  const { ok, output } = await tracked(gate.name, gate.check());
  report.check(ok, gate.name, performance.now() - started, '', ok ? '' : output);
}

/** All choices come from one seed; those that compare rates run after the others, one by one. */
async function runFaults(paths: readonly string[]): Promise<void> {
  const started = performance.now();
  const seed = (process.env['SIGNALBOX_SEED'] ??= String(runSeed));
  process.env['SIGNALBOX_FAULTS'] = 'full';
  await buildOnce(report, paths);
  console.log(`seed ${seed}   (npm run faults -- --seed ${seed} repeats it)\n`);
  const isAlone = (path: string): boolean => alone.some((start) => relative(root, path).startsWith(start));
  const shared = paths.filter((path) => !isAlone(path));
  await runFiles(shared, availableParallelism());
  await runFiles(paths.filter(isAlone), 1);
  await checkProcesses();
  console.log(`\n${tableOfShown(diagnostics)}`);
  console.log(`\nseed ${seed}, ${Math.round((performance.now() - started) / 1000)} s`);
}

/** Gates come first, but nothing waits for them: each leaves a processor idle for a while. */
async function runTests(places: readonly string[], first: readonly Gate[] = []): Promise<TestResult[]> {
  const paths = findTests(places);
  await buildOnce(report, paths);
  const results = await runFiles(paths, workers, first);
  if (!results.some(({ state }) => state !== 'skipped')) report.check(false, `no test ran in ${places.join(', ')}`, 0);
  await checkProcesses();
  return results;
}

async function runFiles(paths: readonly string[], atATime: number, first: readonly Gate[] = []): Promise<TestResult[]> {
  const results: TestResult[] = [];
  await severalAtATime([...first, ...paths], atATime, async (path) => {
    if (typeof path !== 'string') return runGate(path);
    const file = relative(root, path);
    const {
      results: ofFile,
      durationMs,
      output,
      diagnostics: said,
    } = await tracked(file, runTestFile(path, Number(asked.longest) * 1000));
    const failed = ofFile.filter(({ state }) => state === 'failed');
    for (const { state } of ofFile) report.count(state);
    const details = failed.map(({ id, reason }) => `${id}\n${reason}\n`).join('\n');
    const printed = output.trim() === '' ? '' : `\nprinted:\n${output}`;
    report.line(
      failed.length === 0,
      file,
      durationMs,
      `${ofFile.length - failed.length}/${ofFile.length}`,
      failed.length === 0 ? '' : details + printed,
    );
    results.push(...ofFile);
    diagnostics.push(...said);
  });
  return results;
}

function findTests(places: readonly string[]): string[] {
  const patterns = places.flatMap((place) => {
    const path = relative(root, resolve(place));
    return [path, `${path}/**/*.test.ts`];
  });
  const found = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', 'bench/peers/**'] });
  return [...new Set(found)]
    .filter((path) => path.endsWith('.test.ts'))
    .toSorted((one, other) => turnOf(one) - turnOf(other) || one.localeCompare(other))
    .map((path) => resolve(root, path));
}

/** The others have the same size in `npm test`. */
function hasFullForm(path: string): boolean {
  return readFileSync(path, 'utf8').includes('isFull()');
}

function turnOf(path: string): number {
  const at = long.findIndex((start) => path.startsWith(start));
  return at === -1 ? long.length : at;
}

async function checkProcesses(): Promise<void> {
  const started = performance.now();
  const left = await watch.leftBehind();
  report.check(left.length === 0, 'no process left behind', performance.now() - started, '', left.join('\n'));
}

function checkRequirements(results: readonly TestResult[]): void {
  const problems = missingEvidence(requirements, results);
  const all = Object.values(requirements);
  const covered = all.filter(({ tests, missing }) => tests.length > 0 && missing === undefined).length;
  report.check(problems.length === 0, 'requirements', 0, `${covered} of ${all.length} covered`, problems.join('\n'));
}

async function severalAtATime<Item>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: count }, worker));
}
