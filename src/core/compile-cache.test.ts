import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const module = JSON.stringify(new URL('./compile-cache.ts', import.meta.url).href);
const program = `
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { Worker } from 'node:worker_threads';
import { compileCacheEnv } from ${module};
if (process.argv[1] !== '') enableCompileCache(process.argv[1]);
const code = "require('node:worker_threads').parentPort.postMessage(require('node:module').getCompileCacheDir() ?? 'none')";
const cacheOfThread = async (env) => new Promise((resolve) => new Worker(code, { eval: true, env, execArgv: [] }).once('message', resolve));
console.log(JSON.stringify([getCompileCacheDir() ?? 'none', await cacheOfThread(compileCacheEnv()), await cacheOfThread({})]));
`;

function run(cache: string): unknown {
  const args = ['--input-type=module', '--eval', program, cache];
  const env = { ...process.env, NODE_COMPILE_CACHE: '' };
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }));
}

test('compileCacheEnv lets a thread share the compile cache of its process, or use none when the process has none', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-compiled-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const [own, shared, unshared] = run(directory) as string[];
  assert.ok(own?.startsWith(directory));
  assert.equal(shared, own);
  assert.equal(unshared, 'none', 'Node now shares the cache automatically: remove compileCacheEnv');
  assert.deepEqual(run(''), ['none', 'none', 'none']);
});
