import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Role, problemsOf, reasonFor, requiredScenarios } from './required.ts';
import { suites } from './suite.ts';

/** Asserts that all required scenarios pass, that there are at least `minScenarios`, and that all other failures have a known reason. */
export async function assertConforms(
  t: TestContext,
  role: Role,
  revision: string,
  minScenarios: number,
): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-conformance-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const result = await suites[role](revision, directory);
  const required = await requiredScenarios(revision, role);
  assert.ok(required.length >= minScenarios, `the suite requires ${required.length} scenarios`);
  const failed = required.flatMap((name) => problemsOf(result, name).map((problem) => `${name}: ${problem}`));
  assert.deepEqual(failed, [], result.output.slice(-4000));
  const others = [...result.scenarios.keys()].filter((name) => !required.includes(name));
  const unexplained = others
    .filter((name) => reasonFor(name) === undefined)
    .filter((name) => result.scenarios.get(name)?.some(({ status }) => status === 'FAILURE'));
  assert.deepEqual(unexplained, [], 'failing scenarios that are not required need a reason in `unscored`');
}
