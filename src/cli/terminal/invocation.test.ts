import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { invocation, runnable } from './invocation.ts';

const place = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-invocation-')));
after(() => rmSync(place, { recursive: true }));

/** Creates a launcher, in a clone or an installed package. */
function createLauncher(name: string, isClone: boolean): string {
  for (const inner of ['bin', 'src/cli']) mkdirSync(join(place, name, inner), { recursive: true });
  writeFileSync(join(place, name, 'bin', 'signalbox'), '');
  if (isClone) writeFileSync(join(place, name, 'src', 'cli', 'main.ts'), '');
  return join(place, name, 'bin', 'signalbox');
}

suite('the command in hints', () => {
  test('is the launcher in a clone, relative to the current directory', () => {
    const clone = createLauncher('clone', true);
    const from = (directory: string): string => invocation({ launcher: clone, environment: {}, directory });
    assert.equal(from(join(place, 'clone')), 'bin/signalbox');
    assert.equal(from(join(place, 'other')), clone);
    assert.equal(invocation({ launcher: createLauncher('a clone', true), environment: {}, directory: '/' }).at(0), "'");
  });

  test('is signalbox when it is installed or linked, and npx signalbox when npx started it', () => {
    const installed = createLauncher('installed', false);
    assert.equal(invocation({ launcher: installed, environment: {}, directory: place }), 'signalbox');
    const clone = createLauncher('linked', true);
    const linked = join(place, 'linked-bin');
    const npmDirectory = join(place, 'node_modules', '.bin');
    for (const directory of [linked, npmDirectory]) {
      mkdirSync(directory, { recursive: true });
      symlinkSync(clone, join(directory, 'signalbox'));
    }
    const on = (...path: string[]): string =>
      invocation({ launcher: clone, environment: { PATH: path.join(delimiter) }, directory: join(place, 'linked') });
    assert.equal(on('/missing', linked), 'signalbox');
    assert.equal(on(npmDirectory), 'bin/signalbox', 'npm adds this directory only for its scripts');
    const environment = { npm_command: 'exec' };
    assert.equal(invocation({ launcher: installed, environment, directory: place }), 'npx signalbox');
  });

  test('replaces only commands in a text', () => {
    assert.equal(runnable('signalbox'), 'signalbox');
    assert.equal(runnable('https://signalbox.example/x'), 'https://signalbox.example/x');
  });
});
