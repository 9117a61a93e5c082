import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { findConsole, logConsoleBuild } from './console-build.ts';

const builds = `
import { mkdirSync, writeFileSync } from 'node:fs';
const out: string = process.argv[process.argv.indexOf('--out') + 1] ?? '';
mkdirSync(out, { recursive: true });
writeFileSync(out + '/index.html', 'built');
`;

/** A checkout with a console that is built in no time. */
function checkout(test: TestContext, program = builds): { readonly root: string; readonly source: string } {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-checkout-'));
  test.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'console', 'src'), { recursive: true });
  const source = join(root, 'console', 'src', 'main.tsx');
  writeFileSync(join(root, 'console', 'build.ts'), program);
  writeFileSync(source, '');
  return { root, source };
}

describe('the console of a checkout', () => {
  it('is built when it is missing, and then left alone', async (test) => {
    const { root } = checkout(test);
    const first = findConsole(undefined, root);
    assert.ok(first.building !== undefined);
    assert.equal(readFileSync(join(await first.directory, 'index.html'), 'utf8'), 'built');
    const again = findConsole(undefined, root);
    assert.equal(again.building, undefined);
    assert.equal(await again.directory, await first.directory);
  });

  it('is built again when a source was changed, or removed', async (test) => {
    const { root, source } = checkout(test);
    await findConsole(undefined, root).directory;
    const later = new Date(Date.now() + 60_000);
    utimesSync(source, later, later);
    assert.ok(findConsole(undefined, root).building !== undefined, 'changed');
    rmSync(source);
    utimesSync(join(root, 'console', 'src'), later, later);
    assert.ok(findConsole(undefined, root).building !== undefined, 'removed');
  });

  it('that cannot be built says what went wrong and what to do', async (test) => {
    const { root } = checkout(test, 'throw new Error("vite is not there");');
    const found = findConsole(undefined, root);
    await assert.rejects(found.directory, /could not be built:.*vite is not there.*Run npm install/s);
    const warnings: string[] = [];
    await logConsoleBuild(found, { info: () => undefined, warn: (text) => void warnings.push(text) });
    assert.match(warnings.join(''), /^The console could not be built/);
  });

  it('stops being built with the server', async (test) => {
    const { root } = checkout(test, 'setInterval(() => {}, 1000);');
    const stopping = new AbortController();
    const { directory } = findConsole(stopping.signal, root);
    stopping.abort();
    await assert.rejects(directory, { name: 'AbortError' });
  });
});
