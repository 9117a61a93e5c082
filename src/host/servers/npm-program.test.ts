import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { npmProgram } from './external-transport.ts';

function project(t: TestContext, manifest: object, program = '#!/usr/bin/env node\n'): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-npm-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const home = join(directory, 'node_modules', '@scope', 'files');
  mkdirSync(home, { recursive: true });
  mkdirSync(join(directory, 'deep', 'below'), { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: '@scope/files', version: '1.2.3', ...manifest }));
  writeFileSync(join(home, 'main.js'), program);
  return directory;
}

describe('the npm shorthand', () => {
  test('a version that is installed in the project is started by this Node, from below it too', (t) => {
    const directory = project(t, { bin: { 'mcp-files': 'main.js' } });
    const file = join(directory, 'node_modules', '@scope', 'files', 'main.js');
    for (const place of [directory, join(directory, 'deep', 'below')])
      assert.deepEqual(npmProgram('@scope/files@1.2.3', ['.'], place), {
        command: process.execPath,
        args: [file, '.'],
      });
  });

  test('of several programs, the one with the name of the package', (t) => {
    const directory = project(t, { bin: { other: 'other.js', files: './main.js' } });
    assert.equal(npmProgram('@scope/files@1.2.3', [], directory).command, process.execPath);
  });

  for (const [why, spec, manifest, program] of [
    ['another version', '@scope/files@1.2.4', { bin: 'main.js' }],
    ['no version', '@scope/files', { bin: 'main.js' }],
    ['a range', '@scope/files@^1.2.3', { bin: 'main.js' }],
    ['a tag', '@scope/files@latest', { bin: 'main.js' }],
    ['no program', '@scope/files@1.2.3', {}],
    ['a program that is missing', '@scope/files@1.2.3', { bin: 'gone.js' }],
    ['several programs of other names', '@scope/files@1.2.3', { bin: { a: 'main.js', b: 'main.js' } }],
    ['a program that is not for Node', '@scope/files@1.2.3', { bin: 'main.js' }, '#!/bin/sh\n'],
    ['a path in the place of a name', '../files@1.2.3', { bin: 'main.js' }],
  ] as const)
    test(`npx is asked when there is ${why}`, (t) => {
      const directory = project(t, manifest, program);
      assert.deepEqual(npmProgram(spec, ['.'], directory), { command: 'npx', args: ['-y', spec, '.'] });
    });
});
