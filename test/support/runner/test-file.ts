import { once } from 'node:events';
import { relative } from 'node:path';
import { run } from 'node:test';
import type { EventData } from 'node:test';
import { inspect, stripVTControlCharacters } from 'node:util';
import { root } from '../command.ts';

/** The result of one test. */
export interface TestResult {
  /** `path/to/file.test.ts > describe > test`. */
  readonly id: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The reason of a failure. */
  readonly reason?: string;
}

/** The result of one test file. */
export interface TestFileReport {
  readonly results: readonly TestResult[];
  /** The output of the file. */
  readonly output: string;
  /** The messages that its tests reported with `diagnostic`. */
  readonly diagnostics: readonly string[];
  readonly durationMs: number;
}

/** The default timeout of a test, long enough for a busy machine. It also reports a hanging test by name. */
const defaultTestTimeoutMs = 5 * 60_000;

/**
 * Runs one test file in its own process, with a timeout. Uses one `run()` per file, because node:test reports the file that
 * defines a test, and conformance tests are defined in another file than the one that runs them.
 */
export async function runTestFile(path: string, maxMs: number): Promise<TestFileReport> {
  const started = performance.now();
  const file = relative(root, path).replaceAll('\\', '/');
  const results: TestResult[] = [];
  const names: string[] = [];
  const startedNames: string[] = [];
  const diagnostics: string[] = [];
  let output = '';

  const idOf = (test: EventData.TestPass | EventData.TestFail): string =>
    [file, ...names.slice(0, test.nesting), test.name].join(' > ');

  const limit = AbortSignal.timeout(maxMs);
  const execArgv = [`--test-timeout=${defaultTestTimeoutMs}`];
  const stream = run({ files: [path], isolation: 'process', execArgv, signal: limit });
  stream.on('test:dequeue', (test) => startedNames.splice(test.nesting, Infinity, test.name));
  stream.on('test:start', (test) => {
    names[test.nesting] = test.name;
  });
  stream.on('test:pass', (test) => {
    const skipped = isSet(test.skip) || isSet(test.todo);
    if (test.name === path) results.push({ id: file, state: 'failed', reason: 'the file contains no tests' });
    else if (test.details.type !== 'suite') results.push({ id: idOf(test), state: skipped ? 'skipped' : 'passed' });
  });
  stream.on('test:fail', (test) => {
    if (isSet(test.todo)) results.push({ id: idOf(test), state: 'skipped' });
    else if (failureType(test) !== 'subtestsFailed') {
      const id = test.name === path ? file : idOf(test);
      const reason = limit.aborted
        ? `the time limit of ${maxMs / 1000} s passed during ${startedNames.join(' > ').replace(path, 'its start')}`
        : reasonOf(test);
      results.push({ id, state: 'failed', reason });
    }
  });
  stream.on('test:diagnostic', ({ message, nesting, file: from }) => {
    // Messages without a file are the totals of the run.
    if (from !== undefined || nesting > 0) diagnostics.push(message);
  });
  stream.on('test:stdout', (data) => (output += data.message));
  stream.on('test:stderr', (data) => (output += data.message));
  stream.resume();
  await once(stream, 'end');

  return {
    results,
    output: stripVTControlCharacters(output),
    diagnostics,
    durationMs: performance.now() - started,
  };
}

function isSet(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false;
}

function failureType(test: EventData.TestFail): unknown {
  const { error } = test.details;
  return 'failureType' in error ? error.failureType : undefined;
}

/** Returns the text of the original error, without stack frames of Node itself. */
function reasonOf(test: EventData.TestFail): string {
  const error = test.details.error.cause ?? test.details.error;
  if (!(error instanceof Error) || error.stack === undefined) return inspect(error);
  const stack = error.stack.replaceAll(/^ +at .*node:.*\n?/gm, '').trimEnd();
  return error.cause === undefined ? stack : `${stack}\ncaused by ${inspect(error.cause)}`;
}
