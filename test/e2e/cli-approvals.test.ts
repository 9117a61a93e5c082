import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type CallResult, createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { OutcomeUnknownError } from '../../src/core/tools/source-errors.ts';
import { findByIdPrefix } from '../../src/cli/open-records.ts';
import type { Approval, RememberedRule } from '../../src/core/calls/approval.ts';
import { until } from '../mcp-servers/boxed.ts';
import { Place, finished, launcher, said, withNotes } from './cli-place.ts';

const add = ['call', 'add', '{"text":"milk"}', '--as', 'bot', '--session', 's1'];

const mcpServers = { desk: { module: './desk.ts' } };
const withWriter = {
  'desk.ts': `
import { appendFileSync } from 'node:fs';
import { defineTool } from 'signalbox';
export const write = defineTool({
  name: 'write', description: 'Writes.', effect: 'undoable',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const,
  run: ({ text }) => appendFileSync('written', text + '\\n'),
});
`,
  'signalbox.config.json': JSON.stringify({ mcpServers }),
};

async function inbox(place: Place, ...more: string[]): Promise<Approval[]> {
  return ((await place.json(['approvals', ...more])) as unknown as { items: Approval[] }).items;
}

suite('approvals', () => {
  test('a call that asks is listed, approved by a short id, and then runs once', async () => {
    const place = new Place(withNotes);
    const first = (await place.json(add, 1)) as unknown as CallResult & { approvalId: string };
    assert.equal(first.outcome, 'awaiting-approval');
    const { stdout } = await place.run(['approvals']);
    const short = first.approvalId.slice('appr_'.length, 'appr_'.length + 8);
    assert.match(stdout, new RegExp(`^${short} +pending +mcp__notes__add +bot .*"text":"milk"`, 'm'));
    for (const slip of ['', 'appr_', short.slice(0, 3)]) {
      const refused = await place.run(['approve', slip]);
      assert.deepEqual([refused.code, /the id .* is too short/.test(refused.stderr)], [2, true], slip);
    }
    const approved = await place.run(['approve', short.slice(0, 5)]);
    assert.equal(approved.code, 0, approved.stderr);
    assert.match(approved.stdout, /^approved mcp__notes__add/);
    const [approval] = await inbox(place);
    assert.deepEqual([approval?.state, approval?.answer?.by.kind], ['approved', 'human']);
    const second = await place.run(['approve', short]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /approval-answered: appr_\w+ was already approved by user:\w+ at /);
    assert.equal((await place.json(add))['outcome'], 'completed');
    assert.equal((await place.json(add, 1))['outcome'], 'awaiting-approval');
    assert.deepEqual((await inbox(place, '--all')).map(({ state }) => state).toSorted(), ['pending', 'used']);
  });

  test('questions whose callers no longer wait come last, and are denied together', async () => {
    const place = new Place(withNotes);
    for (const text of ['a', 'b']) await place.json(['call', 'add', JSON.stringify({ text }), '--as', 'bot'], 1);
    const server = place.start(['serve', '--port', '0', '--json'], { SIGNALBOX_TOKEN: 'a-token-for-the-test' });
    const { url } = JSON.parse(await said(server.stdout, /\n/)) as { url: string };
    const asked = new AbortController();
    const waits = fetch(`${url}/api/tools/mcp__notes__add/call`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-token-for-the-test', 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { text: 'c' } }),
      signal: asked.signal,
    }).catch(() => undefined);
    await until(async () => (await inbox(place)).length === 3, 'the third question');
    await place.json(['call', 'add', '{"text":"d"}', '--as', 'bot', '--local'], 1);
    const { stdout, stderr } = await place.run(['approvals']);
    assert.deepEqual(
      Array.from(stdout.matchAll(/ (waiting|gone) /g), ([, caller]) => caller),
      ['waiting', 'gone', 'gone', 'gone'],
    );
    assert.match(stderr, /the callers of 3 no longer wait: .*signalbox deny --gone denies them/);
    const denied = await place.run(['deny', '--gone']);
    assert.deepEqual([denied.code, denied.stdout.match(/^denied mcp__notes__add/gm)?.length], [0, 3], denied.stderr);
    assert.deepEqual(
      (await inbox(place)).filter(({ state }) => state === 'pending').map(({ arguments: given }) => given),
      [{ text: 'c' }],
    );
    assert.equal((await place.run(['deny'])).code, 2);
    asked.abort();
    await waits;
    server.kill('SIGTERM');
    assert.equal((await finished(server)).code, 0);
  });

  test('the list and the answer show arguments exactly: every space, and other blanks as escapes', async () => {
    const place = new Place(withNotes);
    await place.json(['call', 'add', '{"text":"rm  -rf   a\\u00a0b"}', '--as', 'bot'], 1);
    const exact = String.raw`{"text":"rm  -rf   a\u00a0b"}`;
    const listed = await place.run(['approvals']);
    assert.ok(listed.stdout.includes(exact), listed.stdout);
    const [approval] = await inbox(place);
    const approved = await place.run(['approve', approval?.id ?? '']);
    assert.ok(approved.stdout.includes(exact), approved.stdout);
    assert.ok((await place.run(['journal'])).stdout.includes(exact));
  });

  test('a call that waits in one process is answered in another: edited, or denied with a reason', async () => {
    const place = new Place(withNotes);
    await place.run(['call', 'ping']);
    const follower = place.start(['approvals', '--follow', '--json']);
    const followed = finished(follower);
    const question = said(follower.stdout, /"state":"pending"[^\n]*\n/);
    const waiting = place.run([...add, '--wait', '60s', '--json']);
    const { id } = JSON.parse((await question).trim().split('\n')[0] ?? '') as Approval;
    await place.run(['approve', id, '--edit', '{"text":"oat milk"}']);
    const { stdout } = await waiting;
    const result = JSON.parse(stdout) as CallResult;
    assert.equal(result.outcome, 'completed');
    assert.match(JSON.stringify(result.content), /edited the arguments .*milk.* → .*oat milk.*added oat milk/);
    follower.kill('SIGINT');
    await followed;

    await place.run(add);
    const [pending] = await inbox(place);
    const denied = await place.run(['deny', pending?.id ?? '', '--reason', 'enough milk']);
    assert.equal(denied.code, 0, denied.stderr);
    assert.match((await place.run(add)).stderr, /approval-denied: .*enough milk/);
  });

  test('the time that a human took is told apart from the time that the call ran', async () => {
    const place = new Place(withNotes);
    await place.run(['call', 'ping']);
    const waiting = place.run([...add, '--wait', '60s']);
    await until(async () => (await inbox(place)).length > 0, 'the call asks');
    const [asked] = await inbox(place);
    await place.run(['approve', asked?.id ?? '']);
    const { stderr } = await waiting;
    const both = /[\d.]+ m?s \(waited [\d.]+ m?s for an answer, ran [\d.]+ m?s\)/;
    assert.match(stderr, new RegExp(`completed in ${both.source} · decision `));
    const { stdout } = await place.run(['policy', 'explain', asked?.callId ?? '']);
    assert.match(stdout, new RegExp(`^  took +${both.source}$`, 'm'));
  });

  test('a denied call says how long it waited, that it did not run, and why it cannot be undone', async () => {
    const place = new Place(withNotes);
    await place.run(['call', 'ping']);
    const waiting = place.run([...add, '--wait', '60s']);
    await until(async () => (await inbox(place)).length > 0, 'the call asks');
    const [asked] = await inbox(place);
    await place.run(['deny', asked?.id ?? '']);
    const both = /[\d.]+ m?s \(waited [\d.]+ m?s for an answer, did not run\)/;
    assert.match((await waiting).stderr, new RegExp(`denied in ${both.source} · decision `));
    const call = asked?.callId ?? '';
    assert.match((await place.run(['policy', 'explain', call])).stdout, new RegExp(`^  took +${both.source}$`, 'm'));
    const refused = await place.run(['undo', call]);
    assert.match(refused.stderr, /undo-unavailable: .* it ended as "denied" before the tool was run/);
  });

  test('remembering shows what it would have let through, needs a clear yes, is listed and revoked', async () => {
    const place = new Place(withNotes);
    await place.run(add);
    const [asked] = await inbox(place);
    const id = asked?.id ?? '';
    const unsure = await place.run(['approve', id, '--remember', 'arguments']);
    assert.equal(unsure.code, 2);
    assert.match(unsure.stderr, /would have let 1 recorded call through\n[^]*next: add --yes/);
    assert.equal((await inbox(place))[0]?.state, 'pending');
    const sure = await place.run(['approve', id, '--remember', 'arguments', '--yes']);
    assert.match(sure.stdout, /remembered as rule_\w+; signalbox approvals revoke rule_/);
    for (let time = 0; time < 2; time += 1) assert.equal((await place.run(add)).code, 0);
    const { items } = (await place.json(['approvals', 'rules'])) as unknown as { items: RememberedRule[] };
    assert.equal(items[0]?.scope, 'arguments');
    assert.match((await place.run(['approvals', 'rules'])).stdout, /arguments +bot +mcp__notes__add \{"text":"milk"\}/);
    assert.equal((await place.run(['approvals', 'revoke', items[0]?.id ?? ''])).code, 0);
    assert.equal((await place.run(['approvals', 'revoke', items[0]?.id ?? ''])).code, 1);
    assert.equal((await place.json(add, 1))['outcome'], 'awaiting-approval');
    const [again] = await inbox(place);
    const once = await place.run(['approve', again?.id ?? '', '--remember', 'tool', '--yes']);
    assert.equal(once.code, 0, once.stderr);
    assert.match(once.stdout, /not remembered: mcp__notes__add cannot be undone/);
    assert.equal((await place.json(add))['outcome'], 'completed');
  });

  test('edited, then made again: what a human wrote is written, once, and nothing is remembered', async () => {
    const place = new Place(withWriter);
    const write = ['call', 'write', '{"text":"bad"}', '--as', 'bot', '--session', 's1'];
    assert.equal((await place.json(write, 1))['outcome'], 'awaiting-approval');
    const [asked] = await inbox(place);
    const edit = ['approve', asked?.id ?? '', '--edit', '{"text":"good"}'];
    const both = await place.run([...edit, '--remember', 'session', '--yes']);
    assert.equal(both.code, 2);
    assert.match(both.stderr, /--remember cannot be combined with --edit/);
    const { stdout } = await place.run(edit);
    assert.match(stdout, /^approved mcp__desk__write \{"text":"good"\}\n[^]*validated when the call runs\n$/);
    assert.equal((await place.json(write))['outcome'], 'completed');
    assert.equal((await place.json(write, 1))['outcome'], 'awaiting-approval');
    assert.equal(readFileSync(join(place.directory, 'written'), 'utf8'), 'good\n');
  });

  test('every rule that asks is shown: where it is listed, answered and explained', async () => {
    const policies = [
      { id: 'writes', match: 'mcp__desk__write', ask: true, reason: 'it writes' },
      { id: 'bad', match: 'mcp__desk__write', ask: "args.text == 'bad'", reason: 'it is bad' },
    ];
    const place = new Place({ ...withWriter, 'signalbox.config.json': JSON.stringify({ mcpServers, policies }) });
    const call = (await place.json(['call', 'write', '{"text":"bad"}'], 1)) as unknown as CallResult;
    assert.match((await place.run(['approvals'])).stdout, /pending .* writes, bad /);
    const [asked] = await inbox(place);
    const { stdout } = await place.run(['approve', asked?.id ?? '']);
    assert.match(stdout, /asked because it writes \(writes\)\n +asked because it is bad \(bad\)\n/);
    const explained = await place.run(['policy', 'explain', call.callId]);
    assert.match(explained.stdout, /ask by writes [^]*also +ask by bad \(signalbox\.config\.json:\d+\): it is bad/);
  });

  test('an id that does not fit, or fits several, is told with what to do', async () => {
    const place = new Place(withNotes);
    await place.run(add);
    await place.run(['call', 'add', '{"text":"b"}']);
    const items = [{ id: 'appr_abcd1' }, { id: 'appr_abcd2' }];
    assert.throws(() => findByIdPrefix(items, 'abcd', 'appr_'), /2 ids begin with "abcd"/);
    assert.deepEqual(findByIdPrefix(items, 'appr_abcd2', 'appr_'), items[1]);
    const { code, stderr } = await place.run(['deny', 'nothing']);
    assert.equal(code, 1);
    assert.match(stderr, /approval-unknown: no approval id begins with "nothing"\n.*next: signalbox approvals --all/);
    assert.equal((await new Place().run(['approvals'])).code, 1);
  });

  test('hidden parts are counted, shown on request, and approved only after that or with a word for it', async (t) => {
    const place = new Place(withNotes);
    const hiding = (text: string): string[] => ['call', 'add', JSON.stringify({ text }), '--as', 'bot'];
    const [first, second] = ['psql postgres://me:hunter2@db/x', 'psql postgres://me:hunter3@db/x'] as const;
    await place.run(hiding(first));
    const list = await place.run(['approvals']);
    assert.match(list.stdout, / gone .*\[1 hidden\] \{"text":"psql postgres:\/\/me:\[redacted:url-password\]@db\/x"\}/);
    const [asked] = await inbox(place);
    const id = asked?.id ?? '';
    const refused = await place.run(['approve', id]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /hidden-unacknowledged: .*7 characters at \/text.*--reveal.*--acknowledge-hidden/);
    const shown = await place.run(['approvals', 'show', id]);
    assert.match(shown.stdout, /hidden: 7 characters at \/text, which look like a token\n.*--reveal shows/);
    assert.match(
      (await place.run(['approvals', 'show', id, '--reveal'])).stdout,
      /"psql postgres:\/\/me:hunter2@db\/x"/,
    );
    const approved = await place.run(['approve', id]);
    assert.match(
      approved.stdout,
      /its caller no longer waits: approving runs nothing now.*\n[^]*hidden parts: revealed/,
    );
    assert.match((await place.run(['journal', '--json'])).stdout, /"type": ?"ApprovalRevealed"/);

    await place.run(hiding(second));
    const other = (await inbox(place)).find(({ state }) => state === 'pending');
    const blindly = await place.run(['approve', other?.id ?? '', '--acknowledge-hidden']);
    assert.match(blindly.stdout, /hidden parts: acknowledged/);

    // At a terminal, a key reveals.
    const words = hiding('psql postgres://me:hunter4@db/x').map((word) => `'${word}'`);
    const command = [process.execPath, launcher, ...words].join(' ');
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: place.directory,
      env: { ...process.env, SIGNALBOX_HOME: place.data, NO_COLOR: '1', TERM: 'xterm' },
    });
    const failed = new Promise<true>((resolve) => child.once('error', () => resolve(true)));
    const ended = finished(child);
    const question = said(child.stdout, /Run it\? 1 part hidden: r reveals \[y\/N\/r\] /);
    if ((await Promise.race([question, failed])) === true)
      return t.skip('needs script of util-linux to make a terminal');
    const again = said(child.stdout, /me:hunter4@db[^]*Run it\? \[y\/N\] /);
    child.stdin.write('r\r');
    await again;
    child.stdin.write('y\r');
    assert.match((await ended).stdout, /completed in /);
    const [last] = await inbox(place, '--all');
    assert.equal(last?.answer?.hiddenParts, 'revealed');
  });

  test('while the terminal asks, an answer from elsewhere ends the question', async (t) => {
    const place = new Place(withNotes);
    const command = [process.execPath, launcher, ...add.map((word) => `'${word}'`)].join(' ');
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: place.directory,
      env: { ...process.env, SIGNALBOX_HOME: place.data, NO_COLOR: '1', TERM: 'xterm' },
    });
    const failed = new Promise<true>((resolve) => child.once('error', () => resolve(true)));
    const ended = finished(child);
    const asked = said(child.stdout, /Run it\? \[y\/N\] /);
    if ((await Promise.race([asked, failed])) === true) return t.skip('needs script of util-linux to make a terminal');
    const [pending] = await inbox(place);
    await place.run(['approve', pending?.id ?? '']);
    const { stdout } = await ended;
    assert.match(stdout, /completed in /);
  });
});

suite('settle', () => {
  test('says how a call ended that nobody knew the end of, once; the journal shows it', async () => {
    const place = new Place();
    const send = defineTool({
      name: 'send',
      description: 'x',
      input: { type: 'object' },
      run: () => {
        throw new OutcomeUnknownError('the line broke');
      },
    });
    const box = await createSignalbox({
      data: place.data,
      servers: [localServer({ name: 't', tools: [send] })],
      approve: () => ({ allow: true }),
    });
    const { callId, outcome } = await box.call('mcp__t__send');
    assert.equal(outcome, 'unknown');
    await box.close();
    assert.equal((await place.run(['settle', callId])).code, 2);
    const { code, stdout, stderr } = await place.run(['settle', callId, '--completed', '--note', 'it arrived']);
    assert.deepEqual([code, stdout], [0, `settled ${callId} mcp__t__send as completed\n`], stderr);
    const again = await place.run(['settle', callId, '--failed']);
    assert.deepEqual([again.code, /already settled as completed by user:/.test(again.stderr)], [1, true]);
    assert.match(
      (await place.run(['journal'])).stdout,
      /settled +mcp__t__send +call_\w+ completed, by user:\w+: it arrived/,
    );
  });
});
