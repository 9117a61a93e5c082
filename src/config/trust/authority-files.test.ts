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

test('authorityFiles returns the configuration, its lock, policies and modules, and the code that servers are started from', () => {
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
      '.npmrc',
      'hook.mjs',
      'node_modules/@scope/package',
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

test('authorityFiles includes everything that an interpreter resolves: names without extension, directories, modules, preloads and variables', () => {
  mkdirSync(join(directory, 'srv', 'lib'), { recursive: true });
  writeFileSync(join(directory, 'srv', 'package.json'), '{"main":"lib/main"}');
  const configuration = read({
    mcpServers: {
      directory: { command: 'node', args: ['./srv', 'data'] },
      bare: { command: 'node', args: ['-r', './preload', 'start'] },
      python: { command: 'python3', args: ['-m', 'pkg.tool'] },
      shell: {
        command: 'npx',
        args: ['-y', 'tool@1.0.0'],
        env: { BASH_ENV: './rc', NODE_OPTIONS: '--require ./hook' },
      },
      paths: { command: 'x', env: { PYTHONPATH: './libs:/usr/lib', OTHER: 'text ./own.sh ${env:X}' } },
    },
  });
  const files = new Set(authorityFiles(configuration).map(({ path }) => relative(directory, path)));
  const expected =
    'srv srv/package.json srv/index.js srv/lib/main.js preload.js start start.js start.mjs pkg/tool.py rc hook.js libs own.sh node_modules/tool .npmrc';
  for (const name of expected.split(' ')) assert.ok(files.has(name), name);
  for (const name of ['', 'data', 'data.js', 'text', '../usr/lib', 'package.json']) assert.ok(!files.has(name), name);
});

test('baseDirectories returns the working directory, the workspace, the roots and the directories in the arguments of a server', () => {
  const { servers } = read({
    mcpServers: { files: { command: 'x', args: ['data', 'none'], cwd: 'work', workspace: ['.'], roots: ['../data'] } },
  });
  const bases = servers.flatMap((entry) => baseDirectories(entry, directory));
  assert.deepEqual(
    bases.map((base) => relative(directory, base)),
    ['work', '', '../data'],
  );
});
