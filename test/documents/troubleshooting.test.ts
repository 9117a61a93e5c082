import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { callErrorCodes, errorCodes } from '../../src/core/errors.ts';
import { problemCodes } from '../../src/server/problems/problem-codes.ts';
import { root } from '../support/command.ts';
import { pages } from './pages.ts';

const page = pages.find(({ file }) => file === 'docs/troubleshooting.md')?.text ?? '';
const explained = new Set([...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code = '']) => code));

/** Codes that are not in a table but in the code of commands, configurations and turns. */
const inlineCodes = new Set(
  globSync(['src/{cli,config,runtimes,sessions}/**/*.ts'], { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const patterns = [
      /new CliError\(\s*[12],\s*'([a-z-]+)'/g,
      /\b(?:code|fail|#refuse|#refused)(?:: |\((?:turn, )?)'([a-z]+-[a-z-]+)'/g,
    ];
    return patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, code = '']) => code));
  }),
);
const tables = new Set(
  [callErrorCodes, errorCodes, problemCodes].flatMap((table): string[] => Object.keys(table)).toSorted(),
);

suite('troubleshooting', () => {
  test('explains every code of a call, of an error and of an HTTP problem', () => {
    assert.deepEqual(
      [...tables].filter((code) => !explained.has(code)),
      [],
    );
  });

  test('explains every code of a command, a configuration and a turn', () => {
    assert.ok(inlineCodes.has('turn-lost') && inlineCodes.has('journal-missing') && inlineCodes.has('model-failed'));
    assert.deepEqual(
      [...inlineCodes].filter((code) => !explained.has(code)),
      [],
    );
  });

  test('explains no code that no longer exists', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
    const obsolete = [...explained].filter(
      (code) => !tables.has(code) && !sources.some((source) => source.includes(`'${code}'`)),
    );
    assert.deepEqual(obsolete, []);
  });
});
