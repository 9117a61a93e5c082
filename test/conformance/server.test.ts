import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemsOf, requiredScenarios, revisions, unscored } from './required.ts';
import { runServerSuite } from './suite.ts';

for (const revision of revisions) {
  test(`the official suite passes as a server of ${revision}, with a server behind`, async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'signalbox-conformance-'));
    t.after(() => rm(directory, { recursive: true, force: true }));
    const result = await runServerSuite(revision, directory);
    const required = await requiredScenarios(revision);
    assert.ok(required.length >= 30, 'the suite says what it requires');
    const failed = required.flatMap((name) => problemsOf(result, name).map((problem) => `${name}: ${problem}`));
    assert.deepEqual(failed, [], result.output.slice(-4000));
    const others = [...result.scenarios.keys()].filter((name) => !required.includes(name));
    const unexplained = others
      .filter((name) => !unscored.some(({ pattern }) => pattern.test(name)))
      .filter((name) => result.scenarios.get(name)?.some(({ status }) => status === 'FAILURE'));
    assert.deepEqual(unexplained, [], 'what is not counted and fails has its reason in `unscored`');
  });
}
