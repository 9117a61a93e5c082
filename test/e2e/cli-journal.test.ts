import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import { CliProject, waitForExit, waitForOutput, notesProject } from './cli-project.ts';

interface Listing {
  readonly items: { seq: number; type: string; tool?: string; outcome?: string; hash: string }[];
  readonly next?: number;
}

function editDatabase(project: CliProject, sql: string): void {
  const database = new DatabaseSync(join(project.data, 'signalbox.db'));
  database.exec(sql);
  database.close();
}

suite('signalbox journal', () => {
  test('reports a missing journal, and creates none', async () => {
    const project = new CliProject();
    for (const args of [['journal'], ['journal', 'verify'], ['journal', 'export'], ['journal', '--follow']]) {
      const { code, stderr } = await project.run(args);
      assert.equal(code, 1);
      assert.match(
        stderr,
        /journal-missing: no journal at .*signalbox\.db yet\n.*next: run signalbox serve or signalbox call first/,
      );
    }
    assert.equal(existsSync(project.data), false);
  });

  test('shows entries, the newest last, by tool, session, outcome and time, page by page', async () => {
    const project = new CliProject(notesProject);
    await project.run(['call', 'list', '--session', 'morning']);
    await project.run(['call', 'add', '{"text":"x"}']);
    const { stdout } = await project.run(['journal']);
    assert.match(stdout, /^ SEQ +TIME +OUTCOME +TOOL +SESSION +DURATION +OUTPUT\n/);
    assert.match(
      stdout,
      /completed +mcp__notes__list +morning +[\d.]+ m?s +\["milk"\]\n[^]*awaiting-approval +mcp__notes__add .*waits for a human/,
    );

    const all = (await project.json(['journal'])) as unknown as Listing;
    assert.deepEqual(
      all.items.map((item) => item.seq),
      all.items.map((_, index) => index + 1),
    );
    const outcomes = async (...filter: string[]): Promise<string[]> =>
      ((await project.json(['journal', ...filter])) as unknown as Listing).items.flatMap((item) => item.outcome ?? []);
    assert.deepEqual(await outcomes('--tool', 'notes/list'), ['completed']);
    assert.deepEqual(await outcomes('--session', 'morning'), ['completed']);
    assert.deepEqual(await outcomes('--outcome', 'awaiting-approval'), ['awaiting-approval']);
    assert.deepEqual(await outcomes('--since', '1h'), ['completed', 'awaiting-approval']);
    assert.deepEqual(await outcomes('--since', '2999-01-01'), []);

    const last = (await project.json(['journal', '--limit', '1'])) as unknown as Listing;
    assert.deepEqual([last.items.map((item) => item.outcome), last.next], [['awaiting-approval'], all.items.length]);
    const before = (await project.json([
      'journal',
      '--limit',
      '100',
      '--before',
      String(last.next),
    ])) as unknown as Listing;
    assert.deepEqual([...before.items, ...last.items], all.items);
  });

  test('--follow shows the calls of other processes', async () => {
    const project = new CliProject(notesProject);
    await project.run(['call', 'ping']);
    const follower = project.start(['journal', '--follow', '--json', '--tool', 'notes/list']);
    const ended = waitForExit(follower);
    const line = waitForOutput(follower.stdout, /"ToolInvoked"[^]*\n/);
    await project.run(['call', 'list', '--session', 'elsewhere']);
    const event = JSON.parse((await line).trim().split('\n').at(-1) ?? '') as Record<string, unknown>;
    assert.deepEqual(
      [event['tool'], event['sessionId'], event['outcome']],
      ['mcp__notes__list', 'elsewhere', 'completed'],
    );
    follower.kill('SIGINT');
    assert.equal((await ended).code, 0);
  });

  test('export writes every entry as a line, the oldest first, and exits with 0 when its output is closed', async () => {
    const project = new CliProject();
    for (const key of ['a', 'b']) await project.run(['call', 'ping', '--key', key]);
    const { items } = (await project.json(['journal'])) as unknown as Listing;
    const lines = (text: string): unknown[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown);
    assert.deepEqual(lines((await project.run(['journal', 'export'])).stdout), items);

    const file = join(project.directory, 'out.jsonl');
    const { code, stdout, stderr } = await project.run(['journal', 'export', '--out', file]);
    assert.deepEqual([code, stdout, stderr], [0, '', `${items.length} entries written to ${file}\n`]);
    assert.deepEqual(lines(readFileSync(file, 'utf8')), items);
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const unread = project.start(['journal', 'export']);
    unread.stdout.destroy();
    const ended = await waitForExit(unread);
    assert.deepEqual([ended.code, ended.stderr], [0, '']);
  });
});

suite('signalbox journal verify', () => {
  test('prints the number of valid entries, and the head to note down', async () => {
    const project = new CliProject();
    await project.run(['call', 'ping']);
    const { items } = (await project.json(['journal'])) as unknown as Listing;
    const head = `${items.length}:${items.at(-1)?.hash}`;
    const { code, stdout } = await project.run(['journal', 'verify']);
    assert.equal(code, 0);
    assert.ok(stdout.startsWith(`ok ${items.length} entries checked, the chain is intact\nhead ${head}\n`), stdout);
    assert.deepEqual(await project.json(['journal', 'verify', '--head', head]), {
      ok: true,
      entries: items.length,
      head,
      authentication: { state: 'sealed', seq: items.length },
    });
  });

  test('reports the first edited entry, and exits with 1', async () => {
    const project = new CliProject();
    await project.run(['call', 'ping']);
    await project.run(['call', 'ping']);
    editDatabase(project, `UPDATE journal SET body = replace(body, 'pong', 'pang') WHERE seq = 2`);
    const { code, stderr } = await project.run(['journal', 'verify']);
    assert.equal(code, 1);
    assert.match(stderr, /journal-broken: entry 2 was changed/);
    assert.match(stderr, /first broken entry: 2; the 1 before it are intact/);
    const failed = await project.run(['journal', 'verify', '--json']);
    const { error } = JSON.parse(failed.stderr) as { error: Record<string, unknown> };
    assert.deepEqual([failed.code, error['code'], error['seq'], error['entries']], [1, 'journal-broken', 2, 1]);
    const doctor = await project.run(['doctor']);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /^error +journal .*entry 2 was changed/m);
  });

  test('detects a cut or replaced journal by a head that was noted before', async () => {
    const project = new CliProject();
    await project.run(['call', 'ping']);
    assert.match(
      (await project.run(['journal', 'verify', '--head', `99:${'0'.repeat(64)}`])).stderr,
      /missing at the end/,
    );
    assert.match(
      (await project.run(['journal', 'verify', '--head', `1:${'0'.repeat(64)}`])).stderr,
      /entry 1 is not the one that was anchored/,
    );
    const { code, stderr } = await project.run(['journal', 'verify', '--head', 'nonsense']);
    assert.equal(code, 2);
    assert.match(stderr, /A head is SEQ:HASH/);
  });
});
