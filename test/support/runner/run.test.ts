import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from '../command.ts';
import { within } from '../within.ts';

const header = `import { describe, test } from 'node:test'; import { spawn } from 'node:child_process';\n`;
const onLinux = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

describe('test run', () => {
  test('counts passed and skipped tests', async (t) => {
    const { code, lines } = await runOn(t, `test('a', () => {}); describe('b', () => { test.skip('c', () => {}); });`);
    assert.equal(lines.at(-1), '2 passed, 0 failed, 1 skipped');
    assert.equal(code, 0);
  });

  test('names a failed test, and fails', async (t) => {
    const { code, lines, text } = await runOn(
      t,
      `describe('b', () => { test('c', () => { throw new Error('broken'); }); });`,
    );
    assert.match(text, /made-up\.test\.ts > b > c\n +Error: broken[^]*\nFailed:\n[^]*> b > c\n +Error: broken/);
    assert.equal(lines.at(-1), '1 passed, 1 failed');
    assert.equal(code, 1);
  });

  test('fails if a file breaks, contains no tests, or only skipped ones', async (t) => {
    const sources = {
      'at import': `throw new Error('at import');`,
      'contains no tests': '',
      'no test ran': `test.skip('a');`,
    };
    for (const [problem, source] of Object.entries(sources)) {
      const { code, text } = await runOn(t, source);
      assert.match(text, new RegExp(problem));
      assert.equal(code, 1);
    }
  });

  test('names and kills a process that was left behind', onLinux, async (t) => {
    const orphan = `spawn('sleep', ['61'], { detached: true, env: {}, stdio: 'inherit' }).unref();`;
    const { code, text } = await runOn(
      t,
      `test('a', async () => { ${orphan} await new Promise((done) => setTimeout(done, 600)); });`,
    );
    const pid = /process (\d+): sleep 61/.exec(text)?.[1];
    assert.ok(pid, text);
    assert.equal(await isRunning(pid), false);
    assert.equal(code, 1);
  });

  test(
    'ends a file at its time limit with the processes it started, and names the running test',
    onLinux,
    async (t) => {
      const hanging = `setInterval(() => {}, 1000); spawn('sleep', ['63'], { stdio: 'inherit' }); await new Promise(() => {});`;
      const { code, text } = await runOn(t, `describe('b', () => { test('c', async () => { ${hanging} }); });`, [
        '--longest',
        '8',
      ]);
      assert.match(text, /the time limit of 8 s passed during b > c/);
      const pid = /process (\d+): sleep 63/.exec(text)?.[1];
      assert.ok(pid, text);
      assert.equal(await isRunning(pid), false);
      assert.equal(code, 1);
    },
  );

  test('ends its processes when it is stopped', onLinux, async (t) => {
    const directory = await writeTestFile(
      t,
      `test('a', async () => { const child = spawn('sleep', ['62']); process.getBuiltinModule('fs').writeFileSync(import.meta.dirname + '/pid', String(child.pid)); await new Promise(() => { setInterval(() => {}, 1000); }); });`,
    );
    const run = start(directory);
    let text = '';
    run.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    const pid = await waitForText(() => readFile(join(directory, 'pid'), 'utf8').catch(() => ''));
    run.kill('SIGTERM');
    const [code] = (await within(once(run, 'close'), 'the end of the run', () => text)) as [number];
    assert.equal(code, 143);
    assert.match(text, /made-up\.test\.ts .*still running when the run was stopped\n\n0 passed, 1 failed\n$/);
    assert.equal(await isRunning(pid), false);
  });
});

async function runOn(
  t: TestContext,
  source: string,
  options: readonly string[] = [],
): Promise<{ code: number; lines: string[]; text: string }> {
  const run = start(await writeTestFile(t, source), options);
  let text = '';
  run.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const [code] = (await within(once(run, 'close'), 'the end of the run', () => text)) as [number];
  return { code, text, lines: text.trimEnd().split('\n') };
}

function start(directory: string, options: readonly string[] = []) {
  // Inside a test, node:test refuses to run tests while this variable is set.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return spawn(process.execPath, [join(root, 'test', 'run.ts'), ...options, directory], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function writeTestFile(t: TestContext, source: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-run-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'made-up.test.ts'), source === '' ? 'export {};' : header + source);
  return directory;
}

async function waitForText(read: () => Promise<string>): Promise<string> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const value = await read();
    if (value !== '') return value;
    await wait(50);
  }
  throw new Error('the file was never written');
}

async function isRunning(pid: string): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}
