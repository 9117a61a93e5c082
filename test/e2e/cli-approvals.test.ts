import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type CallResult, createSignalbox, defineTool, localServer } from '../../src/index.ts';
import { OutcomeUnknownError } from '../../src/core/tools/source-errors.ts';
import { findByIdPrefix } from '../../src/cli/open-records.ts';
import type { Approval, RememberedRule } from '../../src/core/calls/approval.ts';
import { until } from '../mcp-servers/boxed.ts';
import { CliProject, waitForExit, hasTerminal, onTerminal, waitForOutput, notesProject } from './cli-project.ts';

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

async function listApprovals(project: CliProject, ...more: string[]): Promise<Approval[]> {
  return ((await project.json(['approvals', ...more])) as unknown as { items: Approval[] }).items;
}

suite('approvals in the CLI', () => {
  test('a call that asks is listed, approved by a short id, and then runs once', async () => {
    const project = new CliProject(notesProject);
    const first = (await project.json(add, 1)) as unknown as CallResult & { approvalId: string };
    assert.equal(first.outcome, 'awaiting-approval');
    const { stdout } = await project.run(['approvals']);
    const short = first.approvalId.slice('appr_'.length, 'appr_'.length + 8);
    assert.match(stdout, new RegExp(`^${short} +pending +mcp__notes__add +bot .*"text":"milk"`, 'm'));
    for (const id of ['', 'appr_', short.slice(0, 3)]) {
      const refused = await project.run(['approve', id]);
      assert.deepEqual([refused.code, /the id .* is too short/.test(refused.stderr)], [2, true], id);
    }
    const approved = await project.run(['approve', short.slice(0, 5)]);
    assert.equal(approved.code, 0, approved.stderr);
    assert.match(approved.stdout, /^approved mcp__notes__add/);
    const [approval] = await listApprovals(project);
    assert.deepEqual([approval?.state, approval?.answer?.by.kind], ['approved', 'human']);
    const second = await project.run(['approve', short]);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /approval-answered: appr_\w+ was already approved by user:\w+ at /);
    assert.equal((await project.json(add))['outcome'], 'completed');
    assert.equal((await project.json(add, 1))['outcome'], 'awaiting-approval');
    assert.deepEqual((await listApprovals(project, '--all')).map(({ state }) => state).toSorted(), ['pending', 'used']);
  });

  test('requests whose callers no longer wait are listed last, and can be denied together', async () => {
    const project = new CliProject(notesProject);
    for (const text of ['a', 'b']) await project.json(['call', 'add', JSON.stringify({ text }), '--as', 'bot'], 1);
    const { url, stop } = await project.serve({ SIGNALBOX_TOKEN: 'a-token-for-the-test' });
    const abort = new AbortController();
    const waitingCall = fetch(`${url}/api/tools/mcp__notes__add/call`, {
      method: 'POST',
      headers: { authorization: 'Bearer a-token-for-the-test', 'content-type': 'application/json' },
      body: JSON.stringify({ arguments: { text: 'c' } }),
      signal: abort.signal,
    }).catch(() => undefined);
    await until(async () => (await listApprovals(project)).length === 3, 'the third request');
    await project.json(['call', 'add', '{"text":"d"}', '--as', 'bot', '--local'], 1);
    const { stdout, stderr } = await project.run(['approvals']);
    assert.deepEqual(
      Array.from(stdout.matchAll(/ (waiting|gone) /g), ([, caller]) => caller),
      ['waiting', 'gone', 'gone', 'gone'],
    );
    assert.match(stderr, /3 of these have no waiting caller: .*signalbox deny --gone denies them/);
    const denied = await project.run(['deny', '--gone']);
    assert.deepEqual([denied.code, denied.stdout.match(/^denied mcp__notes__add/gm)?.length], [0, 3], denied.stderr);
    assert.deepEqual(
      (await listApprovals(project)).filter(({ state }) => state === 'pending').map(({ arguments: given }) => given),
      [{ text: 'c' }],
    );
    assert.equal((await project.run(['deny'])).code, 2);
    abort.abort();
    await waitingCall;
    await stop();
  });

  test('the list and the answer show arguments exactly: every space, and other whitespace as escapes', async () => {
    const project = new CliProject(notesProject);
    await project.json(['call', 'add', '{"text":"rm  -rf   a\\u00a0b"}', '--as', 'bot'], 1);
    const exact = String.raw`{"text":"rm  -rf   a\u00a0b"}`;
    const listed = await project.run(['approvals']);
    assert.ok(listed.stdout.includes(exact), listed.stdout);
    const [approval] = await listApprovals(project);
    const approved = await project.run(['approve', approval?.id ?? '']);
    assert.ok(approved.stdout.includes(exact), approved.stdout);
    assert.ok((await project.run(['journal'])).stdout.includes(exact));
  });

  test('a call that waits in one process can be answered in another: edited, or denied with a reason', async () => {
    const project = new CliProject(notesProject);
    await project.run(['call', 'ping']);
    const follower = project.start(['approvals', '--follow', '--json']);
    const followed = waitForExit(follower);
    const requestLine = waitForOutput(follower.stdout, /"state":"pending"[^\n]*\n/);
    const waiting = project.run([...add, '--wait', '60s', '--json']);
    const { id } = JSON.parse((await requestLine).trim().split('\n')[0] ?? '') as Approval;
    await project.run(['approve', id, '--edit', '{"text":"oat milk"}']);
    const { stdout } = await waiting;
    const result = JSON.parse(stdout) as CallResult;
    assert.equal(result.outcome, 'completed');
    assert.match(JSON.stringify(result.content), /edited the arguments .*milk.* → .*oat milk.*added oat milk/);
    follower.kill('SIGINT');
    await followed;

    await project.run(add);
    const [pending] = await listApprovals(project);
    const denied = await project.run(['deny', pending?.id ?? '', '--reason', 'enough milk']);
    assert.equal(denied.code, 0, denied.stderr);
    assert.match((await project.run(add)).stderr, /approval-denied: .*enough milk/);
  });

  test('the time that a human took is shown apart from the time that the call ran', async () => {
    const project = new CliProject(notesProject);
    await project.run(['call', 'ping']);
    const waiting = project.run([...add, '--wait', '60s']);
    await until(async () => (await listApprovals(project)).length > 0, 'the approval request');
    const [request] = await listApprovals(project);
    await project.run(['approve', request?.id ?? '']);
    const { stderr } = await waiting;
    const durations = /[\d.]+ m?s \(waited [\d.]+ m?s for an answer, ran [\d.]+ m?s\)/;
    assert.match(stderr, new RegExp(`completed in ${durations.source} · decision `));
    const { stdout } = await project.run(['policy', 'explain', request?.callId ?? '']);
    assert.match(stdout, new RegExp(`^  took +${durations.source}$`, 'm'));
  });

  test('a denied call shows how long it waited, that it did not run, and why it cannot be undone', async () => {
    const project = new CliProject(notesProject);
    await project.run(['call', 'ping']);
    const waiting = project.run([...add, '--wait', '60s']);
    await until(async () => (await listApprovals(project)).length > 0, 'the approval request');
    const [request] = await listApprovals(project);
    await project.run(['deny', request?.id ?? '']);
    const durations = /[\d.]+ m?s \(waited [\d.]+ m?s for an answer, did not run\)/;
    assert.match((await waiting).stderr, new RegExp(`denied in ${durations.source} · decision `));
    const call = request?.callId ?? '';
    assert.match(
      (await project.run(['policy', 'explain', call])).stdout,
      new RegExp(`^  took +${durations.source}$`, 'm'),
    );
    const refused = await project.run(['undo', call]);
    assert.match(refused.stderr, /undo-unavailable: .* it ended as "denied" before the tool was run/);
  });

  test('--remember shows which recorded calls it would have allowed, needs confirmation, and can be listed and revoked', async () => {
    const project = new CliProject(notesProject);
    await project.run(add);
    const [request] = await listApprovals(project);
    const id = request?.id ?? '';
    const unconfirmed = await project.run(['approve', id, '--remember', 'arguments']);
    assert.equal(unconfirmed.code, 2);
    assert.match(unconfirmed.stderr, /would have let 1 recorded call through\n[^]*next: add --yes/);
    assert.equal((await listApprovals(project))[0]?.state, 'pending');
    const confirmed = await project.run(['approve', id, '--remember', 'arguments', '--yes']);
    assert.match(confirmed.stdout, /remembered as rule_\w+; signalbox approvals revoke rule_/);
    for (let time = 0; time < 2; time += 1) assert.equal((await project.run(add)).code, 0);
    const { items } = (await project.json(['approvals', 'rules'])) as unknown as { items: RememberedRule[] };
    assert.equal(items[0]?.scope, 'arguments');
    assert.match(
      (await project.run(['approvals', 'rules'])).stdout,
      /arguments +bot +mcp__notes__add \{"text":"milk"\}/,
    );
    assert.equal((await project.run(['approvals', 'revoke', items[0]?.id ?? ''])).code, 0);
    assert.equal((await project.run(['approvals', 'revoke', items[0]?.id ?? ''])).code, 1);
    assert.equal((await project.json(add, 1))['outcome'], 'awaiting-approval');
    const [again] = await listApprovals(project);
    const once = await project.run(['approve', again?.id ?? '', '--remember', 'tool', '--yes']);
    assert.equal(once.code, 0, once.stderr);
    assert.match(once.stdout, /not remembered: mcp__notes__add cannot be undone/);
    assert.equal((await project.json(add))['outcome'], 'completed');
  });

  test('a call that is made again after an edit runs once with the edited arguments, and nothing is remembered', async () => {
    const project = new CliProject(withWriter);
    const write = ['call', 'write', '{"text":"bad"}', '--as', 'bot', '--session', 's1'];
    assert.equal((await project.json(write, 1))['outcome'], 'awaiting-approval');
    const [request] = await listApprovals(project);
    const edit = ['approve', request?.id ?? '', '--edit', '{"text":"good"}'];
    const both = await project.run([...edit, '--remember', 'session', '--yes']);
    assert.equal(both.code, 2);
    assert.match(both.stderr, /--remember cannot be combined with --edit/);
    const { stdout } = await project.run(edit);
    assert.match(stdout, /^approved mcp__desk__write \{"text":"good"\}\n[^]*validated when the call runs\n$/);
    assert.equal((await project.json(write))['outcome'], 'completed');
    assert.equal((await project.json(write, 1))['outcome'], 'awaiting-approval');
    assert.equal(readFileSync(join(project.directory, 'written'), 'utf8'), 'good\n');
  });

  test('an edit of arguments with hidden parts runs with the part that the user left, or is refused', async () => {
    const project = new CliProject(withWriter);
    const text = 'password=evilevil1 password=goodgood2';
    const write = ['call', 'write', JSON.stringify({ text }), '--as', 'bot'];
    assert.equal((await project.json(write, 1))['outcome'], 'awaiting-approval');
    const [request] = await listApprovals(project);
    const [first = '', second = ''] = request?.hidden.map(({ placeholder }) => placeholder) ?? [];
    const edit = (edited: string): ReturnType<typeof project.run> =>
      project.run(['approve', request?.id ?? '', '--acknowledge-hidden', '--edit', JSON.stringify({ text: edited })]);
    assert.match((await edit(`${first} ${first}`)).stderr, /edit-invalid: .* at \/text is used twice/);
    assert.equal((await edit(`password=${second}`)).code, 0);
    assert.equal((await project.json(write))['outcome'], 'completed');
    assert.equal(readFileSync(join(project.directory, 'written'), 'utf8'), 'password=goodgood2\n');
  });

  test('every rule that asks is shown in the list, in the answer and in the explanation', async () => {
    const policies = [
      { id: 'writes', match: 'mcp__desk__write', ask: true, reason: 'it writes' },
      { id: 'bad', match: 'mcp__desk__write', ask: "args.text == 'bad'", reason: 'it is bad' },
    ];
    const project = new CliProject({
      ...withWriter,
      'signalbox.config.json': JSON.stringify({ mcpServers, policies }),
    });
    const call = (await project.json(['call', 'write', '{"text":"bad"}'], 1)) as unknown as CallResult;
    assert.match((await project.run(['approvals'])).stdout, /pending .* writes, bad /);
    const [request] = await listApprovals(project);
    const { stdout } = await project.run(['approve', request?.id ?? '']);
    assert.match(stdout, /asked because it writes \(writes\)\n +asked because it is bad \(bad\)\n/);
    const explained = await project.run(['policy', 'explain', call.callId]);
    assert.match(explained.stdout, /ask by writes [^]*also +ask by bad \(signalbox\.config\.json:\d+\): it is bad/);
  });

  test('an id that matches no approval, or several, is reported with the next step', async () => {
    const project = new CliProject(notesProject);
    await project.run(add);
    await project.run(['call', 'add', '{"text":"b"}']);
    const items = [{ id: 'appr_abcd1' }, { id: 'appr_abcd2' }];
    assert.throws(() => findByIdPrefix(items, 'abcd', 'appr_'), /2 ids begin with "abcd"/);
    assert.deepEqual(findByIdPrefix(items, 'appr_abcd2', 'appr_'), items[1]);
    const { code, stderr } = await project.run(['deny', 'nothing']);
    assert.equal(code, 1);
    assert.match(stderr, /approval-unknown: no approval id begins with "nothing"\n.*next: signalbox approvals --all/);
    assert.equal((await new CliProject().run(['approvals'])).code, 1);
  });

  test('hidden parts are counted, shown on request, and approved only after that or with an acknowledgement', async (t) => {
    const project = new CliProject(notesProject);
    const callWith = (text: string): string[] => ['call', 'add', JSON.stringify({ text }), '--as', 'bot'];
    const [first, second] = ['psql postgres://me:hunter2@db/x', 'psql postgres://me:hunter3@db/x'] as const;
    await project.run(callWith(first));
    const list = await project.run(['approvals']);
    assert.match(list.stdout, / gone .*\[1 hidden\] \{"text":"psql postgres:\/\/me:\[redacted:url-password\]@db\/x"\}/);
    const [request] = await listApprovals(project);
    const id = request?.id ?? '';
    const refused = await project.run(['approve', id]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /hidden-unacknowledged: .*7 characters at \/text/);
    assert.doesNotMatch(refused.stderr, /POST|\bID\b/);
    const next = `next: signalbox approvals show ${id} --reveal, or signalbox approve ${id} --acknowledge-hidden\n`;
    assert.ok(refused.stderr.endsWith(next), refused.stderr);
    const shown = await project.run(['approvals', 'show', id]);
    assert.match(shown.stdout, /hidden: 7 characters at \/text, which look like a token\n.*--reveal shows/);
    assert.match(
      (await project.run(['approvals', 'show', id, '--reveal'])).stdout,
      /"psql postgres:\/\/me:hunter2@db\/x"/,
    );
    const approved = await project.run(['approve', id]);
    assert.match(
      approved.stdout,
      /its caller no longer waits: approving runs nothing now.*\n[^]*hidden parts: revealed/,
    );
    assert.match((await project.run(['journal', '--json'])).stdout, /"type": ?"ApprovalRevealed"/);

    await project.run(callWith(second));
    const other = (await listApprovals(project)).find(({ state }) => state === 'pending');
    const acknowledged = await project.run(['approve', other?.id ?? '', '--acknowledge-hidden']);
    assert.match(acknowledged.stdout, /hidden parts: acknowledged/);

    // On a terminal, a key reveals them.
    if (!hasTerminal) return t.skip('needs a terminal');
    const { stdout } = await project.dialogue(callWith('psql postgres://me:hunter4@db/x'), [
      [/Run it\? 1 part hidden: r reveals \[y\/N\/r\] /, 'r\r'],
      [/me:hunter4@db[^]*Run it\? \[y\/N\] /, 'y\r'],
    ]);
    assert.match(stdout, /completed in /);
    const [last] = await listApprovals(project, '--all');
    assert.equal(last?.answer?.hiddenParts, 'revealed');
  });

  test('an answer in another process ends the question on the terminal', onTerminal, async () => {
    const project = new CliProject(notesProject);
    const child = project.startOnTerminal(add);
    const ended = waitForExit(child);
    await waitForOutput(child.stdout, /Run it\? \[y\/N\] /);
    const [pending] = await listApprovals(project);
    await project.run(['approve', pending?.id ?? '']);
    const { stdout } = await ended;
    assert.match(stdout, /completed in /);
  });
});

suite('settle', () => {
  test('records the outcome of a call that ended as unknown, once; the journal shows it', async () => {
    const project = new CliProject();
    const send = defineTool({
      name: 'send',
      description: 'x',
      input: { type: 'object' },
      run: () => {
        throw new OutcomeUnknownError('the line broke');
      },
    });
    const box = await createSignalbox({
      data: project.data,
      servers: [localServer({ name: 't', tools: [send] })],
      approve: () => ({ allow: true }),
    });
    const { callId, outcome } = await box.call('mcp__t__send');
    assert.equal(outcome, 'unknown');
    await box.close();
    assert.equal((await project.run(['settle', callId])).code, 2);
    const { code, stdout, stderr } = await project.run(['settle', callId, '--completed', '--note', 'it arrived']);
    assert.deepEqual([code, stdout], [0, `settled ${callId} mcp__t__send as completed\n`], stderr);
    const again = await project.run(['settle', callId, '--failed']);
    assert.deepEqual([again.code, /already settled as completed by user:/.test(again.stderr)], [1, true]);
    assert.match(
      (await project.run(['journal'])).stdout,
      /settled +mcp__t__send +call_\w+ completed, by user:\w+: it arrived/,
    );
  });
});
