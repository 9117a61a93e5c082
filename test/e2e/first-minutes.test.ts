import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { CliProject, waitForOutput } from './cli-project.ts';

test('a fresh start without an API key leads to an approved and undone call', { timeout: 300_000 }, async () => {
  const project = new CliProject();
  const token = 'a-token-for-the-test';
  const { url, stop } = await project.serve({ SIGNALBOX_TOKEN: token });
  const send = (path: string, body: object, accept = 'application/json'): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const { id } = (await (await send('/api/sessions', {})).json()) as { id: string };
  const tour = send(`/api/sessions/${id}/messages`, { content: 'run the tour' }, 'text/event-stream').then((response) =>
    response.text(),
  );

  const note = join(project.data, 'demo', 'tour.txt');
  for (const tool of ['mcp__demo__write_note', 'mcp__demo__send_note']) {
    const follow = project.start(['approvals', '--follow']);
    const line = await waitForOutput(follow.stdout, new RegExp(`pending +${tool}`));
    follow.kill('SIGTERM');
    const [, approval = ''] = new RegExp(`^(\\w+) +pending +${tool}`, 'm').exec(line) ?? [];
    assert.equal((await project.run(['approve', approval])).code, 0);
  }
  assert.match(await tour, /"type":"done","reason":"end"/);
  assert.ok(existsSync(note), 'the write ran');

  const { stdout: journal } = await project.run(['journal']);
  const [, seq = ''] = /^ *(\d+) .* completed +mcp__demo__write_note/m.exec(journal) ?? [];
  assert.match((await project.run(['policy', 'explain', seq])).stdout, /^mcp__demo__write_note call_\w+\n {2}ask/);
  const undone = await project.run(['undo', seq]);
  assert.match(
    undone.stdout,
    /^undone mcp__demo__write_note call_\w+\n {2}removed tour\.txt, which the call had added\n$/,
    undone.stderr,
  );
  assert.ok(!existsSync(note), 'the write was undone');
  assert.match((await project.run(['undo', '999999'])).stderr, /call-unknown/);

  await stop();
});
