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
const tell = async (env) => new Promise((resolve) => new Worker(code, { eval: true, env, execArgv: [] }).once('message', resolve));
console.log(JSON.stringify([getCompileCacheDir() ?? 'none', await tell(compileCacheEnv()), await tell({})]));
`;

function run(cache: string): unknown {
  const args = ['--input-type=module', '--eval', program, cache];
  const env = { ...process.env, NODE_COMPILE_CACHE: '' };
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', env }));
}

test('a thread keeps what it compiles where its process does, and nowhere when that does not', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-compiled-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const [own, told, untold] = run(directory) as string[];
  assert.ok(own?.startsWith(directory));
  assert.equal(told, own);
  assert.equal(untold, 'none', 'Node tells it by itself: ours is not needed any more');
  assert.deepEqual(run(''), ['none', 'none', 'none']);
});
