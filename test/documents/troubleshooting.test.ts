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

/** Codes that are written where they arise: of commands, of configurations, of turns. */
const written = new Set(
  globSync(['src/{cli,config,runtimes,sessions}/**/*.ts'], { cwd: root, exclude: ['**/*.test.ts'] }).flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const places = [
      /new CliError\(\s*[12],\s*'([a-z-]+)'/g,
      /\b(?:code|fail|#refuse|#refused)(?:: |\((?:turn, )?)'([a-z]+-[a-z-]+)'/g,
    ];
    return places.flatMap((place) => [...source.matchAll(place)].map(([, code = '']) => code));
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
    assert.ok(written.has('turn-lost') && written.has('journal-missing') && written.has('model-failed'));
    assert.deepEqual(
      [...written].filter((code) => !explained.has(code)),
      [],
    );
  });

  test('explains no code that is gone', () => {
    const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
    const gone = [...explained].filter(
      (code) => !tables.has(code) && !sources.some((source) => source.includes(`'${code}'`)),
    );
    assert.deepEqual(gone, []);
  });
});
