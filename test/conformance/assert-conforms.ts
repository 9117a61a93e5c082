import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Role, problemsOf, reasonFor, requiredScenarios } from './required.ts';
import { suites } from './suite.ts';

/** Every required scenario passes, and there are at least this many; what is not counted and fails has a known reason. */
export async function assertConforms(t: TestContext, role: Role, revision: string, atLeast: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-conformance-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const result = await suites[role](revision, directory);
  const required = await requiredScenarios(revision, role);
  assert.ok(required.length >= atLeast, 'the suite says what it requires');
  const failed = required.flatMap((name) => problemsOf(result, name).map((problem) => `${name}: ${problem}`));
  assert.deepEqual(failed, [], result.output.slice(-4000));
  const others = [...result.scenarios.keys()].filter((name) => !required.includes(name));
  const unexplained = others
    .filter((name) => reasonFor(name) === undefined)
    .filter((name) => result.scenarios.get(name)?.some(({ status }) => status === 'FAILURE'));
  assert.deepEqual(unexplained, [], 'what is not counted and fails has its reason in `unscored`');
}
