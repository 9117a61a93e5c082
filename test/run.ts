/**
 * Runs the gates and the tests.
 *
 *   npm test                      the gates, all tests, and the check of the requirements
 *   npm test -- src/journal …     the tests in these files, folders or globs, without gates
 *   npm test -- --gates           only the gates
 *   npm test -- --tests           only the tests
 *   npm test -- --longest 60 …    limits each test file to this number of seconds (1200)
 *
 * `npm run faults` is `--faults`: the fault tests in full size (all that have one, or the named ones), and a table of their results.
 * `--seed N` repeats the random choices of an earlier run.
 */
import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../src/core/errors.ts';
import { findConsole } from '../src/host/daemon/console-build.ts';
import { requirements } from './requirements.ts';
import { root } from './support/command.ts';
import { builtLauncher } from './support/processes/built-package.ts';
import { scenarioTable } from './support/faults.ts';
import { missingEvidence } from './support/runner/evidence.ts';
import { gates, type Gate } from './support/runner/gates.ts';
import { ProcessWatch } from './support/runner/processes.ts';
import { Report } from './support/runner/report.ts';
import { runSeed } from './support/seeded.ts';
import { runTestFile, type TestResult } from './support/runner/test-file.ts';

const { values: options, positionals: places } = parseArgs({
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
// Hundreds of processes load the same modules, which the cache compiles once.
process.env['NODE_COMPILE_CACHE'] ??= join(root, 'node_modules', '.cache', 'tests');
// Tests write configurations by hand. Tests of trust unset this variable.
process.env['SIGNALBOX_TRUST'] ??= 'all';
// The compiler and the linter are Go programs that exit before garbage collection pays off.
process.env['GOGC'] ??= '400';
// More workers than processors, because many tests wait.
const workers = availableParallelism() + 1;
// In full size, these tests compare rates and times, which concurrent tests would disturb.
const exclusiveFiles = ['test/faults/database-outage', 'test/faults/overload', 'test/faults/sick-server'];
// The slowest files start first, so that no single file runs at the end.
const slowFiles = [
  'src/runtimes/claude/cli/claude-cli-runtime',
  'src/runtimes/claude/sdk/claude-runtime',
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
  // A stopped npm stops only its shell, so this process must detect its end.
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && stop(143), 500).unref();
}

if (options.seed !== undefined) process.env['SIGNALBOX_SEED'] = options.seed;
if (options.faults)
  await runFaults(
    places.length > 0 ? findTests(places) : findTests(['test/faults', 'src/workspace']).filter(hasFullSize),
  );
else if (places.length > 0) await runTests(places);
else if (options.gates && !options.tests) await runConcurrently(gates, 2, runGate);
else checkRequirements(await runTests(['src', 'test', 'examples', 'bench'], options.tests ? [] : gates));
process.exitCode = report.finish();

function stop(code: number): void {
  if (stopping) return;
  stopping = true;
  for (const name of running) report.check(false, name, 0, 'still running when the run was stopped');
  report.finish();
  void watch.end().finally(() => process.exit(code));
}

/** Tracks running work for `stop`, after which it never resolves. */
async function track<Value>(name: string, work: Promise<Value>): Promise<Value> {
  running.add(name);
  const value = await work;
  running.delete(name);
  return stopping ? new Promise<never>(() => {}) : value;
}

async function runGate(gate: Gate): Promise<void> {
  const started = performance.now();
  const { ok, output } = await track(gate.name, gate.check());
  report.check(ok, gate.name, performance.now() - started, '', ok ? '' : output);
}

/** All random choices use one seed. Files that compare rates run after the others, one at a time. */
async function runFaults(paths: readonly string[]): Promise<void> {
  const started = performance.now();
  const seed = (process.env['SIGNALBOX_SEED'] ??= String(runSeed));
  process.env['SIGNALBOX_FAULTS'] = 'full';
  await buildOnce(paths);
  console.log(`seed ${seed}   (npm run faults -- --seed ${seed} repeats it)\n`);
  const isExclusive = (path: string): boolean => exclusiveFiles.some((start) => relative(root, path).startsWith(start));
  const shared = paths.filter((path) => !isExclusive(path));
  await runFiles(shared, availableParallelism());
  await runFiles(paths.filter(isExclusive), 1);
  await checkProcesses();
  console.log(`\n${scenarioTable(diagnostics)}`);
  console.log(`\nseed ${seed}, ${Math.round((performance.now() - started) / 1000)} s`);
}

/** Gates start first, but tests do not wait for them: each gate leaves a processor idle for a while. */
async function runTests(folders: readonly string[], first: readonly Gate[] = []): Promise<TestResult[]> {
  const paths = findTests(folders);
  await buildOnce(paths);
  const results = await runFiles(paths, workers, first);
  if (!results.some(({ state }) => state !== 'skipped')) report.check(false, `no test ran in ${folders.join(', ')}`, 0);
  await checkProcesses();
  return results;
}

/** Builds the console and, for end-to-end tests, the installed command once, so that no test has to build them. */
async function buildOnce(tests: readonly string[]): Promise<void> {
  const { building } = findConsole();
  try {
    if (building !== undefined) report.line(true, 'console built', await building);
    if (tests.some((path) => /^(?:test|bench)\b/.test(relative(root, path)))) builtLauncher();
  } catch (error) {
    report.check(false, 'console and package built', 0, '', messageOf(error));
  }
}

async function runFiles(
  paths: readonly string[],
  concurrency: number,
  first: readonly Gate[] = [],
): Promise<TestResult[]> {
  const results: TestResult[] = [];
  await runConcurrently([...first, ...paths], concurrency, async (path) => {
    if (typeof path !== 'string') return runGate(path);
    const file = relative(root, path);
    const fileReport = await track(file, runTestFile(path, Number(options.longest) * 1000));
    const { results: fileResults, durationMs, output } = fileReport;
    const failed = fileResults.filter(({ state }) => state === 'failed');
    for (const { state } of fileResults) report.count(state);
    const details = failed.map(({ id, reason }) => `${id}\n${reason}\n`).join('\n');
    const printed = output.trim() === '' ? '' : `\nprinted:\n${output}`;
    report.line(
      failed.length === 0,
      file,
      durationMs,
      `${fileResults.length - failed.length}/${fileResults.length}`,
      failed.length === 0 ? '' : details + printed,
    );
    results.push(...fileResults);
    diagnostics.push(...fileReport.diagnostics);
  });
  return results;
}

function findTests(folders: readonly string[]): string[] {
  const patterns = folders.flatMap((folder) => {
    const path = relative(root, resolve(folder));
    return [path, `${path}/**/*.test.ts`];
  });
  const found = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', 'bench/peers/**'] });
  return [...new Set(found)]
    .filter((path) => path.endsWith('.test.ts'))
    .toSorted((one, other) => orderOf(one) - orderOf(other) || one.localeCompare(other))
    .map((path) => resolve(root, path));
}

/** Other tests have the same size in `npm test`. */
function hasFullSize(path: string): boolean {
  return readFileSync(path, 'utf8').includes('isFull()');
}

function orderOf(path: string): number {
  const index = slowFiles.findIndex((start) => path.startsWith(start));
  return index === -1 ? slowFiles.length : index;
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

async function runConcurrently<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
