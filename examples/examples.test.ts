import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

const here = import.meta.dirname;
const examples = readdirSync(here, { withFileTypes: true }).filter(
  (entry) => entry.isDirectory() && entry.name !== 'support',
);

// Examples mostly wait for other processes.
suite('examples', { concurrency: 2 }, () => {
  for (const { name } of examples) {
    test(`${name} runs, its assertions pass, and it prints what it showed`, async () => {
      const hook = new URL('./support/from-source.ts', import.meta.url).href;
      const child = spawn(process.execPath, ['--import', hook, join(here, name, 'index.ts')], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let printed = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
      const [code] = (await once(child, 'close')) as [number | null];
      assert.equal(code, 0, errors);
      assert.match(printed, /\S/);
    });
  }
});

test('the first TypeScript block of the README is examples/first-call, with at most twenty lines', () => {
  const [, snippet = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(here, '..', 'README.md'), 'utf8')) ?? [];
  assert.equal(snippet, readFileSync(join(here, 'first-call', 'index.ts'), 'utf8'));
  assert.ok(snippet.split('\n').filter((line) => line.trim() !== '').length <= 20);
});
