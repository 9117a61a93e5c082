import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Place, finished, said } from './cli-place.ts';

const root = join(import.meta.dirname, '..', '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

suite('what is written for users', () => {
  const hasCurl = spawnSync('curl', ['--version']).error === undefined;

  test('the lines of the README hold a conversation with a fresh server', { skip: !hasCurl }, async (t) => {
    const place = new Place();
    const server = place.start(['serve', '--port', '0', '--json'], {
      SIGNALBOX_HOME: join(place.directory, '.signalbox'),
    });
    const ended = finished(server);
    t.after(() => server.kill('SIGKILL'));
    const { url } = JSON.parse(await said(server.stdout, /\n/)) as { url: string };

    const [, lines = ''] = /```sh\n(.*?)```/s.exec(readme) ?? [];
    const script = lines.replaceAll('http://127.0.0.1:4242', url);
    const { code, stdout, stderr } = await finished(
      spawn('sh', ['-e', '-c', script], { env: { ...process.env, HOME: place.directory } }),
    );
    assert.equal(code, 0, stderr);
    const order = ['tool_call_start', 'tool_result', 'done'].map((type) => stdout.indexOf(`event: ${type}\n`));
    assert.ok(!order.includes(-1) && order.join() === order.toSorted((a, b) => a - b).join(), stdout);
    assert.match(stdout, /event: tool_result\n.*"outcome":"completed".*pong/);

    server.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });
});
