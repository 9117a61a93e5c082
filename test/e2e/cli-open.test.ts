import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { CliProject, waitForExit, waitForOutput } from './cli-project.ts';

suite('signalbox open', () => {
  test('prints a link that signs one browser in, once, as the user or as a named person', async () => {
    const project = new CliProject();
    const absent = await project.run(['open']);
    assert.equal(absent.code, 1);
    assert.match(absent.stderr, /server-absent: no server runs on .*\n {2}next: signalbox serve\n$/);

    const { url } = await project.serve();
    const { code, stdout, stderr } = await project.run(['open']);
    assert.equal(code, 0, stderr);
    assert.ok(stdout.startsWith(`${url}/?token=`), stdout);
    const first = await fetch(stdout.trim(), { redirect: 'manual' });
    assert.ok(first.headers.get('set-cookie') !== null);
    const again = await fetch(stdout.trim(), { redirect: 'manual' });
    assert.equal(again.headers.get('set-cookie'), null);
    const { url: named } = await project.json(['open', '--name', 'Ada']);
    assert.ok(String(named).startsWith(`${url}/?token=`));
  });
});

suite('second serve on a data directory', () => {
  test('is rejected with the URL and process of the first, unless --force is given', async () => {
    const project = new CliProject();
    const { url, pid } = await project.serve();
    const { code, stdout, stderr } = await project.run(['serve', '--port', '0']);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, new RegExp(`server-running: .* already runs on .*: ${url} \\(process ${pid}\\)`));
    assert.match(stderr, /next: signalbox open .*--force/);
    assert.notEqual((await project.serve({}, '--force')).url, url);
  });

  test('starts with another configuration, and reports that both write to one journal', async () => {
    const project = new CliProject();
    const { url, pid } = await project.serve();
    writeFileSync(join(project.directory, 'other.json'), '{}');
    const child = project.start(['serve', '--port', '0', '--config', 'other.json']);
    const ended = waitForExit(child);
    const note = await waitForOutput(child.stderr, /note: .*\n/);
    assert.match(
      note,
      new RegExp(`note: a server with no configuration file runs on .* too, .*: ${url} \\(process ${pid}\\)`),
    );
    child.kill('SIGTERM');
    await ended;
    // The default configuration file of the server does not exist, so it is not named.
    const { stderr } = await project.run(['tools', '--config', 'other.json']);
    assert.match(
      stderr,
      /^note: the server at \S+ runs without a configuration file, and this command has one; this command works without it\n/,
    );
  });
});
