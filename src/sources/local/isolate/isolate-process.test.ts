import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';

const childPreamble = `
  import { createIsolate } from ${JSON.stringify(new URL('./isolate.ts', import.meta.url).href)};
  const { signal } = new AbortController();
  const context = { callId: 'c', session: undefined, principal: { id: 'a', kind: 'human' }, signal, deadline: 0,
    progress() {}, state: { get() {}, set() {}, delete() {}, keys: () => [] } };
`;

function runNode(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    env: { ...process.env, NODE_TEST_CONTEXT: '' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout, stderr });
    });
  });
}

test('an idle worker does not keep the process alive, and prints nothing to stdout', async () => {
  const { code, stdout, stderr } = await runNode(`${childPreamble}
    let printed = '';
    const write = process.stderr.write.bind(process.stderr);
    process.stderr.write = (chunk, ...rest) => { printed += chunk; return write(chunk, ...rest); };
    const handler = () => { console.log('printed'); process.stdout.write('written'); return 1; };
    const isolate = createIsolate({ tool: 'probe', handler, isolate: true });
    await isolate.run({}, context);
    // The output of a worker arrives some time after its result.
    while (!printed.includes('written')) await new Promise((resolve) => setTimeout(resolve, 10));
    process.stdout.write('end');
  `);
  assert.deepEqual([code, stdout], [0, 'end'], stderr);
  assert.match(stderr, /printed\nwritten/);
});

test('a busy worker keeps the process alive until its call has ended, and `close` ends it', async () => {
  const { code, stdout, stderr } = await runNode(`${childPreamble}
    const handler = () => new Promise((resolve) => setTimeout(() => resolve('late'), 300));
    const isolate = createIsolate({ tool: 'probe', handler, isolate: true });
    process.stdout.write(await isolate.run({}, context));
    await isolate.close();
    process.stdout.write(' closed');
  `);
  assert.deepEqual([code, stdout], [0, 'late closed'], stderr);
});
