import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import type { Configuration } from '../configuration.ts';
import { parseConfiguration } from '../file/load-configuration.ts';
import { authorityFiles, baseDirectories } from './authority-files.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-authority-'));
after(() => rmSync(directory, { recursive: true }));
for (const name of ['data', 'work']) mkdirSync(join(directory, name));
for (const name of ['run', 'notes.txt']) writeFileSync(join(directory, name), '');
chmodSync(join(directory, 'run'), 0o755);

function read(document: object): Configuration {
  return parseConfiguration(JSON.stringify(document), join(directory, 'signalbox.config.json'));
}

test('the files of a configuration are itself, its lock, policies, modules, and the code that servers are started from', () => {
  const configuration = read({
    policies: 'rules.yaml',
    mcpServers: {
      local: { module: './tools.ts' },
      node: { command: 'node', args: ['--import=./hook.mjs', 'server.js', 'notes.txt', 'data', '--port', '80'] },
      own: { command: './run', args: ['../run'], cwd: 'work' },
      npm: { npm: '@scope/package@1.0.0' },
      far: { url: 'https://example.org/mcp' },
    },
  });
  assert.deepEqual(
    authorityFiles(configuration)
      .map(({ path }) => relative(directory, path))
      .toSorted(),
    [
      'hook.mjs',
      'rules.yaml',
      'run',
      'server.js',
      'signalbox.config.json',
      'signalbox.config.jsonc',
      'signalbox.lock',
      'tools.ts',
      'work/run',
    ],
  );
});

test('relative paths of a server start from where it runs, works and was pointed to', () => {
  const { servers } = read({
    mcpServers: { files: { command: 'x', args: ['data', 'none'], cwd: 'work', workspace: ['.'], roots: ['../data'] } },
  });
  const bases = servers.flatMap((entry) => baseDirectories(entry, directory));
  assert.deepEqual(
    bases.map((base) => relative(directory, base)),
    ['work', '', '../data'],
  );
});
