import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliProject } from '../e2e/cli-project.ts';
import { json, runUntrusting, writeConfiguration } from './hostile-workspace.ts';

test('trust shows a copy of an npm package in the project that runs instead of the published one, and asks when a copy appears', async () => {
  const project = new CliProject();
  const packageDirectory = join(project.directory, 'node_modules', '@scope', 'files');
  const writeCopy = (version: string): void => {
    mkdirSync(packageDirectory, { recursive: true });
    writeFileSync(join(packageDirectory, 'package.json'), json({ name: '@scope/files', version, bin: 'run.js' }));
    writeFileSync(
      join(packageDirectory, 'run.js'),
      "#!/usr/bin/env node\nrequire('node:fs').writeFileSync('used-copy', 'x');\n",
    );
  };
  writeConfiguration(project, {
    mcpServers: { a: { npm: '@scope/files@1.2.3' }, b: { command: 'npx', args: ['-y', 'other@1.0.0'] } },
  });
  const before = await runUntrusting(project, 'trust', '--yes');
  assert.doesNotMatch(before.stdout, /local files/);
  writeCopy('1.2.4');
  assert.match(
    (await runUntrusting(project, 'trust')).stdout,
    /nothing new to accept/,
    'a copy of another version does not run',
  );
  writeCopy('1.2.3');
  const refused = await runUntrusting(project, 'tools', '--local');
  assert.equal(refused.code, 2, refused.stdout);
  assert.match(
    refused.stderr,
    /also:\n {2}run {6}a: local files in \S+node_modules\/@scope\/files instead of the npm package @scope\/files@1\.2\.3/,
  );
  assert.ok(!readdirSync(project.directory).includes('used-copy'));
  assert.match((await runUntrusting(project, 'trust', '--yes')).stdout, /run {6}a: local files in/);
  assert.match((await runUntrusting(project, 'trust')).stdout, /nothing new to accept/);
  rmSync(packageDirectory, { recursive: true });
  assert.match(
    (await runUntrusting(project, 'trust')).stdout,
    /nothing new to accept/,
    'the published package was accepted before',
  );
});
