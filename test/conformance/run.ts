/** `npm run conformance` runs the official suite against Signalbox, in both roles and every tested revision. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf, reasonFor, requiredScenarios, revisions } from './required.ts';
import { suites } from './suite.ts';

for (const role of ['server', 'client'] as const)
  for (const revision of revisions) {
    const directory = await mkdtemp(join(tmpdir(), 'signalbox-conformance-'));
    const result = await suites[role](revision, directory);
    await rm(directory, { recursive: true, force: true });
    const required = await requiredScenarios(revision, role);
    const failed = required.filter((name) => problemsOf(result, name).length > 0);
    console.log(
      `${role}, ${revision}: ${required.length - failed.length} of ${required.length} required scenarios pass`,
    );
    for (const name of failed) console.log(`  ✗ ${name}: ${problemsOf(result, name).join('; ')}`);
    for (const [name, checks] of result.scenarios) {
      const faults = checks.filter(({ status }) => status === 'FAILURE').length;
      if (required.includes(name) || faults === 0) continue;
      console.log(`  · ${name}: not required, ${faults} checks fail: ${reasonFor(name) ?? 'unknown reason'}`);
    }
    for (const [name, checks] of result.scenarios)
      for (const { id, status, errorMessage } of checks)
        if (status === 'WARNING') console.log(`  ! ${name}: ${id}: ${errorMessage ?? ''}`);
    if (failed.length > 0) process.exitCode = 1;
  }
