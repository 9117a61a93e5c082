import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertConforms } from './assert-conforms.ts';
import { olderScenarios, problemsOf, revisions } from './required.ts';
import { runClientScenario } from './suite.ts';

for (const revision of revisions)
  test(`the official suite passes as a client of ${revision}`, (t) => assertConforms(t, 'client', revision, 18));

for (const [revision, scenarios] of Object.entries(olderScenarios))
  for (const scenario of scenarios)
    test(`the scenario ${scenario} of the official suite passes`, async (t) => {
      const directory = await mkdtemp(join(tmpdir(), 'signalbox-conformance-'));
      t.after(() => rm(directory, { recursive: true, force: true }));
      const result = await runClientScenario(scenario, revision, directory);
      assert.deepEqual(problemsOf(result, scenario), [], result.output.slice(-4000));
    });
