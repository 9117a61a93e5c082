import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { blocksOf } from '../documents/pages.ts';
import { CliProject, waitForExit } from './cli-project.ts';

const root = join(import.meta.dirname, '..', '..');

/** Returns the first shell block of a page. */
function firstScriptOf(file: string): string {
  const text = readFileSync(join(root, file), 'utf8');
  return blocksOf({ file, text }).find(({ language }) => language === 'sh')?.text ?? '';
}

suite('documentation for users', () => {
  const hasCurl = spawnSync('curl', ['--version']).error === undefined;

  test(
    'the curl commands of the sessions page hold a conversation with a fresh server',
    { skip: !hasCurl },
    async () => {
      const project = new CliProject();
      const { url, stop } = await project.serve({ SIGNALBOX_HOME: join(project.directory, '.signalbox') });

      const script = firstScriptOf('docs/reference/sessions.md').replaceAll('http://127.0.0.1:4242', url);
      const { code, stdout, stderr } = await waitForExit(
        spawn('sh', ['-e', '-c', script], { env: { ...process.env, HOME: project.directory } }),
      );
      assert.equal(code, 0, stderr);
      const order = ['tool_call_start', 'tool_result', 'done'].map((type) => stdout.indexOf(`event: ${type}\n`));
      assert.ok(!order.includes(-1) && order.join() === order.toSorted((a, b) => a - b).join(), stdout);
      assert.match(stdout, /event: tool_result\n.*"outcome":"completed".*pong/);

      await stop();
    },
  );

  test('the first commands of the README list, read, ask, record and undo at a fresh server', async () => {
    const project = new CliProject();
    const { stop } = await project.serve();

    const env = { ...process.env, SIGNALBOX_HOME: project.data, SIGNALBOX_TOKEN: '' };
    const run = (line: string): ReturnType<typeof waitForExit> => {
      const child = spawn('sh', ['-c', line], { cwd: dirname(dirname(project.program)), env });
      child.stdin.end();
      return waitForExit(child);
    };
    const lines = firstScriptOf('README.md').trim().split('\n');
    const [tools = '', read = '', write = '', journal = ''] = lines;
    assert.equal(lines.length, 4, 'tools, a read, a write, the journal');

    assert.match((await run(tools)).stdout, /^mcp__demo__write_note +demo +undoable /m);
    assert.match((await run(read)).stdout, /^Welcome to Signalbox/);
    assert.match((await run(write)).stderr, /^awaiting-approval /);
    const [, id = ''] = /^(\w+) +pending /m.exec((await run('bin/signalbox approvals')).stdout) ?? [];
    assert.equal((await run(`bin/signalbox approve ${id}`)).code, 0);
    assert.equal((await run(write)).code, 0);
    const [, number = ''] = /^ *(\d+) .* completed +mcp__demo__write_note /m.exec((await run(journal)).stdout) ?? [];
    const undone = (await run(`bin/signalbox undo ${number}`)).stdout;
    assert.match(undone, /^undone mcp__demo__write_note \w+\n {2}removed hello\.txt, which the call had added\n$/);

    await stop();
  });
});
