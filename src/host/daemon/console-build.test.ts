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

/** Creates a clone whose console is built quickly. */
function createClone(test: TestContext, program = builds): { readonly root: string; readonly source: string } {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-clone-'));
  test.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'console', 'src'), { recursive: true });
  const source = join(root, 'console', 'src', 'main.tsx');
  writeFileSync(join(root, 'console', 'build.ts'), program);
  writeFileSync(source, '');
  return { root, source };
}

describe('findConsole', () => {
  it('builds a missing console once', async (test) => {
    const { root } = createClone(test);
    const first = findConsole(undefined, root);
    assert.ok(first.building !== undefined);
    assert.equal(readFileSync(join(await first.directory, 'index.html'), 'utf8'), 'built');
    const again = findConsole(undefined, root);
    assert.equal(again.building, undefined);
    assert.equal(await again.directory, await first.directory);
  });

  it('builds the console again after a source was changed or removed', async (test) => {
    const { root, source } = createClone(test);
    await findConsole(undefined, root).directory;
    const later = new Date(Date.now() + 60_000);
    utimesSync(source, later, later);
    assert.ok(findConsole(undefined, root).building !== undefined, 'changed');
    rmSync(source);
    utimesSync(join(root, 'console', 'src'), later, later);
    assert.ok(findConsole(undefined, root).building !== undefined, 'removed');
  });

  it('keeps the build when only node_modules changes, to which each build writes caches', async (test) => {
    const { root } = createClone(test);
    await findConsole(undefined, root).directory;
    const modules = join(root, 'console', 'node_modules');
    mkdirSync(modules);
    const later = new Date(Date.now() + 60_000);
    for (const each of [modules, join(root, 'console')]) utimesSync(each, later, later);
    assert.equal(findConsole(undefined, root).building, undefined);
  });

  it('reports a failed build with the output and the next step', async (test) => {
    const { root } = createClone(test, 'throw new Error("vite is not there");');
    const found = findConsole(undefined, root);
    await assert.rejects(found.directory, /could not be built:.*vite is not there.*Run npm install/s);
    const warnings: string[] = [];
    await logConsoleBuild(found, { info: () => undefined, warn: (text) => void warnings.push(text) });
    assert.match(warnings.join(''), /^The console could not be built/);
  });

  it('stops the build with the server', async (test) => {
    const { root } = createClone(test, 'setInterval(() => {}, 1000);');
    const stopping = new AbortController();
    const { directory } = findConsole(stopping.signal, root);
    stopping.abort();
    await assert.rejects(directory, { name: 'AbortError' });
  });
});
