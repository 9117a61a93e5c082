/** `npm run conformance`: the official suite against Signalbox, in every revision that is on trial. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { problemsOf, requiredScenarios, revisions, unscored } from './required.ts';
import { runServerSuite } from './suite.ts';

for (const revision of revisions) {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-conformance-'));
  const result = await runServerSuite(revision, directory);
  await rm(directory, { recursive: true, force: true });
  const required = await requiredScenarios(revision);
  const failed = required.filter((name) => problemsOf(result, name).length > 0);
  console.log(`server, ${revision}: ${required.length - failed.length} of ${required.length} required scenarios pass`);
  for (const name of failed) console.log(`  ✗ ${name}: ${problemsOf(result, name).join('; ')}`);
  for (const [name, checks] of result.scenarios) {
    const faults = checks.filter(({ status }) => status === 'FAILURE').length;
    if (required.includes(name) || faults === 0) continue;
    const reason = unscored.find(({ pattern }) => pattern.test(name))?.reason ?? 'no reason known';
    console.log(`  · ${name}: not counted, ${faults} checks fail: ${reason}`);
  }
  for (const [name, checks] of result.scenarios)
    for (const { id, status, errorMessage } of checks)
      if (status === 'WARNING') console.log(`  ! ${name}: ${id}: ${errorMessage ?? ''}`);
  if (failed.length > 0) process.exitCode = 1;
}
