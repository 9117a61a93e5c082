import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  type SessionFixture,
  ann,
  collect,
  eventsUntil,
  openSessionFixture,
  textTurn,
  textOf,
  runTurn,
  typesOf,
  untilInterrupted,
} from '../../test/support/sessions/session-fixture.ts';
import type { SignalboxError } from '../core/errors.ts';
import { runtimeTools } from '../runtimes/runtime-tools.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { createSessions } from './create-sessions.ts';

const refused = (code: string) => (error: unknown) => (error as SignalboxError).code === code;

describe('sessions', () => {
  let place: SessionFixture;
  before(async () => {
    place = await openSessionFixture();
  });
  after(() => place.close());
  const create = async (agent = 'demo', request: object = {}): Promise<string> =>
    (await place.sessions.create({ agent, ...request }, ann)).id;

  test('are created with defaults, listed, counted, renamed and deleted', async () => {
    const { sessions, directory } = place;
    const created = await sessions.create({}, ann);
    assert.deepEqual(
      [
        created.agent,
        created.runtime,
        created.model,
        created.title,
        created.cwd,
        created.permissionMode,
        created.state,
        created.owner,
      ],
      ['demo', 'model', 'demo', 'New session', directory, 'default', 'idle', ann],
    );
    const other = await sessions.create({ cwd: join(directory, 'data'), title: 'Other' }, { id: 'bob', kind: 'agent' });
    assert.deepEqual(
      (await sessions.list()).items.slice(0, 2).map(({ id }) => id),
      [other.id, created.id],
    );
    assert.equal(await sessions.count({ cwd: join(directory, 'data') }), 1);
    assert.deepEqual(
      (await sessions.list({ owner: 'bob' })).items.map(({ title }) => title),
      ['Other'],
    );
    assert.equal((await sessions.change(other.id, { title: ' Renamed ' })).title, 'Renamed');
    assert.equal((await sessions.change(other.id, { permissionMode: 'plan' })).permissionMode, 'plan');
    await sessions.delete(other.id);
    await assert.rejects(sessions.get(other.id), refused('session-unknown'));
    await assert.rejects(sessions.delete(other.id), refused('session-unknown'));
  });

  test('are listed in pages, each exactly once', async () => {
    const { sessions } = place;
    for (let index = 0; index < 5; index += 1) await sessions.create({}, { id: 'pager', kind: 'human' });
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await sessions.list({ owner: 'pager', limit: 2, ...(next === undefined ? {} : { after: next }) });
      seen.push(...page.items.map(({ id }) => id));
      ({ next } = page);
    } while (next !== undefined);
    assert.deepEqual([seen.length, new Set(seen).size], [5, 5]);
    await assert.rejects(sessions.list({ after: 'nonsense' }), refused('session-invalid'));
  });

  test('refuse invalid requests with a hint', async () => {
    const { sessions, directory } = place;
    const createWith = (request: object): Promise<unknown> => sessions.create(request, ann);
    await assert.rejects(createWith({ agent: 'dem' }), (error: SignalboxError) => {
      assert.match(error.message, /did you mean "demo"/);
      return error.code === 'agent-unknown';
    });
    await assert.rejects(createWith({ cwd: join(directory, 'nowhere') }), refused('session-invalid'));
    await assert.rejects(createWith({ cwd: join(directory, 'data', 'signalbox.db') }), /is not a directory/);
    await assert.rejects(createWith({ permissionMode: 'acceptEdit' }), /did you mean "acceptEdits"/);
    await assert.rejects(createWith({ title: ' ' }), refused('session-invalid'));
    const id = await create();
    await assert.rejects(sessions.send(id, ' ', ann), refused('session-invalid'));
    await assert.rejects(sessions.send('sess_none', 'hello', ann), refused('session-unknown'));
    await assert.rejects(sessions.approve(id, 'none', { by: ann }), refused('approval-unknown'));
    await assert.rejects(sessions.answer(id, 'none', {}, ann), refused('question-unknown'));
  });

  test('emit the events of a turn from its message to its end, and get their title from the first message', async () => {
    const { sessions } = place;
    const id = await create();
    const events = await runTurn(sessions, id, 'ping the server\nand more');
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    assert.deepEqual(typesOf(events).slice(0, 2), ['user_message', 'session_status']);
    assert.equal(typesOf(events).at(-1), 'done');
    const started = events.find((event) => event.type === 'tool_call_start');
    assert.equal(started?.toolName, 'mcp__signalbox__ping');
    assert.match(textOf(events), /mcp__signalbox__ping answered/);
    const session = await sessions.get(id);
    assert.deepEqual(
      [session.title, session.lastTurn, session.state, session.lastSeq],
      ['ping the server', 'end', 'idle', events.length],
    );
    const { items } = await place.box.journal.calls({ session: id });
    const call = items.find((item) => item.type === 'ToolInvoked');
    assert.deepEqual(call?.principal, { id: 'ann/demo', kind: 'agent' });
  });

  test('return a transcript of messages, calls and answers', async () => {
    const { sessions } = place;
    const id = await create();
    await runTurn(sessions, id, 'call mcp__notes__count');
    await runTurn(sessions, id, 'hello');
    const [message, answer, next] = await sessions.transcript(id);
    assert.deepEqual(message?.content, [{ type: 'text', text: 'call mcp__notes__count' }]);
    assert.deepEqual(
      answer?.content.map(({ type }) => type),
      ['text', 'tool_call', 'text'],
    );
    const call = answer?.content[1];
    assert.ok(call?.type === 'tool_call');
    assert.deepEqual(call.result?.content, [{ type: 'text', text: 'call 1' }]);
    assert.deepEqual([call.result?.isError, next?.role], [false, 'user']);
  });

  test('a call that needs approval waits for an answer in the session; a second answer is refused', async () => {
    const { sessions } = place;
    const id = await create();
    await sessions.send(id, 'call mcp__notes__write {"text":"approved"}', ann);
    const required = (await eventsUntil(sessions, id, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(required?.type === 'approval_required');
    assert.deepEqual([required.toolName, required.input], ['mcp__notes__write', { text: 'approved' }]);
    assert.equal((await sessions.get(id)).state, 'waiting');
    const agent = { id: 'bot', kind: 'agent' } as const;
    await assert.rejects(sessions.approve(id, required.toolCallId, { by: agent }), refused('approver-refused'));
    await sessions.approve(id, required.toolCallId, { by: ann });
    await assert.rejects(sessions.approve(id, required.toolCallId, { by: ann }), refused('approval-answered'));
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', required.seq);
    const resolved = events.find((event) => event.type === 'approval_resolved');
    assert.deepEqual(
      [resolved?.decision, resolved?.by, resolved?.toolCallId],
      ['approved', 'ann', required.toolCallId],
    );
    assert.equal(events.find((event) => event.type === 'tool_result')?.outcome, 'completed');
    assert.ok(typesOf(events).indexOf('approval_resolved') < typesOf(events).indexOf('tool_result'));
    assert.ok(place.notes.includes('approved'));
    assert.equal((await sessions.get(id)).state, 'idle');
  });

  test('emit a call before its approval request', async () => {
    const { sessions, box } = place;
    place.script = async function* ({ tools, signal }) {
      const requested = new Promise<string>((resolve) =>
        box.on('ApprovalRequested', (event) => resolve(event.approvalId)),
      );
      const call = tools.call('mcp__notes__write', { text: 'late' }, { toolCallId: 'c', signal });
      // The runtime announces the call only after its question is in the inbox.
      await box.approvals.get(await requested);
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      yield { type: 'tool_call_start', toolCallId: 'c', toolName: 'mcp__notes__write', server: 'notes', tool: 'write' };
      yield { type: 'tool_call_end', toolCallId: 'c', input: { text: 'late' } };
      await call;
      yield { type: 'done', reason: 'end' };
    };
    const id = await create('scripted');
    await sessions.send(id, 'write', ann);
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'approval_required');
    assert.deepEqual(typesOf(events).slice(-3), ['tool_call_start', 'tool_call_end', 'approval_required']);
    await sessions.interrupt(id);
  });

  test('emit a call before its question to the user', async () => {
    const { sessions } = place;
    const id = await create();
    await sessions.send(id, 'ask me something', ann);
    const types = typesOf(await eventsUntil(sessions, id, ({ type }) => type === 'question_prompt'));
    assert.deepEqual(types.slice(-2), ['tool_call_end', 'question_prompt']);
    await sessions.interrupt(id);
  });

  test('a denied call does not run, and the agent gets the reason', async () => {
    const { sessions } = place;
    const id = await create();
    await sessions.send(id, 'call mcp__notes__write {"text":"denied"}', ann);
    const required = (await eventsUntil(sessions, id, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(required?.type === 'approval_required');
    await sessions.deny(id, required.toolCallId, { by: ann, reason: 'not today' });
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', required.seq);
    assert.match(textOf(events), /not today/);
    assert.ok(!place.notes.includes('denied'));
  });

  for (const [permissionMode, outcome] of [
    ['acceptEdits', 'completed'],
    ['bypassPermissions', 'completed'],
    ['plan', 'denied'],
    ['dontAsk', 'denied'],
  ] as const) {
    test(`in the mode ${permissionMode}, an undoable write is ${outcome} without an approval`, async () => {
      const id = await create('demo', { permissionMode });
      const events = await runTurn(place.sessions, id, `call mcp__notes__write {"text":"${permissionMode}"}`);
      assert.equal(events.find((event) => event.type === 'tool_result')?.outcome, outcome);
      assert.ok(!typesOf(events).includes('approval_required'));
    });
  }

  test('a question of the agent is answered once', async () => {
    const { sessions } = place;
    const id = await create();
    await sessions.send(id, 'ask me something', ann);
    const prompt = (await eventsUntil(sessions, id, ({ type }) => type === 'question_prompt')).at(-1);
    assert.ok(prompt?.type === 'question_prompt');
    assert.equal((await sessions.get(id)).state, 'waiting');
    const answers = { 'Which color do signals show?': 'Green' };
    await sessions.answer(id, prompt.toolCallId, answers, ann);
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', prompt.seq);
    assert.equal(events.find((event) => event.type === 'question_answered')?.by, 'ann');
    assert.match(textOf(events), /Green/);
    await assert.rejects(sessions.answer(id, prompt.toolCallId, answers, ann), refused('question-answered'));
  });

  test('run one turn at a time, in the order of the messages', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    let running = 0;
    place.script = async function* ({ content }) {
      running += 1;
      assert.equal(running, 1);
      yield* textTurn(content);
      running -= 1;
    };
    const sent = await Promise.all(['a', 'b', 'c'].map((content) => sessions.send(id, content, ann)));
    assert.deepEqual(
      sent.map(({ position }) => position),
      [0, 1, 2],
    );
    let dones = 0;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done' && (dones += 1) === 3, 0);
    assert.equal(textOf(events), 'abc');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'user_message' ? [event.turnId] : [])),
      sent.map(({ turnId }) => turnId),
    );
  });

  test('queue at most 100 messages', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    place.script = untilInterrupted;
    await sessions.send(id, 'first', ann);
    await eventsUntil(sessions, id, ({ type }) => type === 'text_delta');
    for (let index = 0; index < 100; index += 1) await sessions.send(id, `${index}`, ann);
    await assert.rejects(sessions.send(id, 'one too many', ann), refused('session-busy'));
    assert.equal((await sessions.get(id)).queued, 100);
    await sessions.delete(id);
  });

  test('an interrupt ends the running turn and the queued ones, each with its own `done`', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    place.script = untilInterrupted;
    await sessions.send(id, 'running', ann);
    await sessions.send(id, 'queued', ann);
    await eventsUntil(sessions, id, ({ type }) => type === 'text_delta');
    assert.equal(await sessions.interrupt(id), true);
    let dones = 0;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done' && (dones += 1) === 2, 0);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'done' ? [event.reason] : [])),
      ['interrupted', 'interrupted'],
    );
    assert.equal(textOf(events), 'waiting', 'the queued turn did not start');
    assert.equal(await sessions.interrupt(id), false);
  });

  test('an interrupt resolves the approval of a waiting call as expired', async () => {
    const { sessions } = place;
    const id = await create();
    await sessions.send(id, 'call mcp__notes__write {"text":"never"}', ann);
    const [required] = (await eventsUntil(sessions, id, ({ type }) => type === 'approval_required')).slice(-1);
    await sessions.interrupt(id);
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', required?.seq);
    assert.equal(events.find((event) => event.type === 'approval_resolved')?.decision, 'expired');
    assert.equal(events.find((event) => event.type === 'done')?.reason, 'interrupted');
    assert.ok(!place.notes.includes('never'));
  });

  test('run concurrently, and each emits only its own events', async () => {
    const { sessions } = place;
    const ids = await Promise.all(Array.from({ length: 8 }, () => create()));
    const all = await Promise.all(ids.map((id) => runTurn(sessions, id, 'call mcp__notes__count')));
    for (const [index, events] of all.entries()) {
      assert.ok(events.every(({ sessionId }) => sessionId === ids[index]));
      assert.match(textOf(events), /call 1$/);
    }
  });

  test('a runtime that throws or ends without a reason ends the turn with an error', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    place.script = async function* () {
      yield { type: 'text_delta', text: 'half' };
      throw new Error('the engine failed');
    };
    const broken = await runTurn(sessions, id, 'go');
    assert.deepEqual(typesOf(broken).slice(-3), ['text_delta', 'error', 'done']);
    assert.match(JSON.stringify(broken.at(-2)), /runtime-failed.*the engine failed/);
    place.script = async function* () {
      yield { type: 'text_delta', text: 'half' };
    };
    const unfinished = await runTurn(sessions, id, 'go');
    assert.deepEqual(unfinished.at(-1)?.type === 'done' && unfinished.at(-1), {
      ...unfinished.at(-1),
      reason: 'error',
    });
    place.script = () => textTurn('recovered');
    assert.equal(textOf(await runTurn(sessions, id, 'go')), 'recovered');
  });

  test('a fork continues from the current state, and neither session changes the other', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    const turns: unknown[] = [];
    place.script = async function* ({ content, memory, fork }) {
      turns.push([content, memory, fork]);
      yield { type: 'memory', memory: `${typeof memory === 'string' ? memory : ''}${content}` };
      yield* textTurn(content);
    };
    await runTurn(sessions, id, 'a');
    const fork = await sessions.fork(id, { id: 'bob', kind: 'human' });
    assert.deepEqual([fork.forkedFrom, fork.owner.id, fork.title], [id, 'bob', 'a']);
    await runTurn(sessions, id, 'b');
    await runTurn(sessions, fork.id, 'c');
    await runTurn(sessions, fork.id, 'd');
    assert.deepEqual(turns, [
      ['a', undefined, undefined],
      ['b', 'a', undefined],
      ['c', 'a', true],
      ['d', 'ac', undefined],
    ]);
    const messagesOf = async (session: string): Promise<string> =>
      (await sessions.transcript(session))
        .flatMap(({ role, content }) => (role === 'user' && content[0]?.type === 'text' ? [content[0].text] : []))
        .join('');
    assert.deepEqual([await messagesOf(id), await messagesOf(fork.id)], ['ab', 'acd']);
  });

  test('a fork during a turn contains the turns before it', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    place.script = () => textTurn('before');
    await runTurn(sessions, id, 'first');
    place.script = untilInterrupted;
    await sessions.send(id, 'second', ann);
    await eventsUntil(sessions, id, (event) => event.type === 'text_delta' && event.text === 'waiting');
    const fork = await sessions.fork(id, ann);
    assert.equal((await sessions.transcript(fork.id)).length, 2);
    await sessions.interrupt(id);
  });

  test('a deletion interrupts the session and ends its watchers', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    place.script = untilInterrupted;
    await sessions.send(id, 'go', ann);
    await eventsUntil(sessions, id, ({ type }) => type === 'text_delta');
    const watching = collect(sessions.events(id, { signal: AbortSignal.timeout(20_000) }));
    await sessions.delete(id);
    assert.equal(
      (await watching).some(({ type }) => type === 'text_delta'),
      true,
    );
    await assert.rejects(collect(sessions.events(id, { signal: AbortSignal.timeout(1) })), refused('session-unknown'));
  });

  test('registered secrets are neither stored nor emitted', async () => {
    const { sessions, box } = place;
    box.secrets.add('KEY', 'hunter2-hunter2');
    const id = await create('scripted');
    place.script = async function* ({ content }) {
      yield { type: 'memory', memory: { text: 'hunter2-hunter2' } };
      yield* textTurn(`your message: ${content}, my answer: hunter2-hunter2`);
    };
    const emitted: unknown[] = [];
    const stop = sessions.subscribe((event) => emitted.push(event));
    const events = await runTurn(sessions, id, 'the key is hunter2-hunter2');
    stop();
    const renamed = await sessions.change(id, { title: 'about hunter2-hunter2' });
    const everything = JSON.stringify([
      events,
      emitted,
      await box.sessionStore.memory(id),
      await sessions.get(id),
      renamed,
    ]);
    assert.ok(!everything.includes('hunter2'), everything);
    assert.ok(everything.includes('[redacted:KEY]'));
  });

  test('a message that only resembles a secret reaches the agent and the transcript unchanged', async () => {
    const { sessions } = place;
    const id = await create('scripted');
    const code = [
      'fetch("https://ann:secret-word@example.com", { headers: { authorization: "Bearer abcdefgh12345678" } });',
      'const password = "sk-ant-REDACTED"; // {"token": "xoxb-1234567890-abc"}',
    ].join('\n');
    let received = '';
    place.script = ({ content }) => {
      received = content;
      return textTurn('ok');
    };
    const { redacted } = await sessions.send(id, code, ann);
    await eventsUntil(sessions, id, ({ type }) => type === 'done', 0);
    const [message] = await sessions.transcript(id);
    assert.deepEqual([received, message?.content, redacted], [code, [{ type: 'text', text: code }], undefined]);
  });

  test('a message with a registered secret is reported as redacted', async () => {
    const { sessions, box } = place;
    box.secrets.add('SENT', 'correct-horse');
    const id = await create('scripted');
    let received = '';
    place.script = ({ content }) => {
      received = content;
      return textTurn('ok');
    };
    const { redacted } = await sessions.send(id, 'use "correct-horse"', ann);
    await eventsUntil(sessions, id, ({ type }) => type === 'done', 0);
    assert.deepEqual([received, redacted], ['use "[redacted:SENT]"', true]);
  });

  test('a registered secret that is split over deltas is neither stored nor emitted, and no other text is lost', async () => {
    const { sessions, box } = place;
    box.secrets.add('PIECES', 'abab-xyzzy');
    const id = await create('scripted');
    place.script = async function* () {
      for (const text of ['it is aba', 'b', '-xy', 'zzy, not abab-', 'xy or ab']) {
        yield { type: 'text_delta', text };
        await new Promise((resolve) => setImmediate(resolve));
      }
      yield { type: 'tool_call_start', toolCallId: 'c', toolName: 'n', server: 's', tool: 't' };
      for (const inputJson of ['{"a":"abab', '-xyzzy"', '}']) {
        yield { type: 'tool_call_delta', toolCallId: 'c', inputJson };
        await new Promise((resolve) => setImmediate(resolve));
      }
      yield { type: 'thinking_delta', text: 'abab' };
      yield { type: 'done', reason: 'end' };
    };
    const events = await runTurn(sessions, id, 'go');
    assert.equal(textOf(events), 'it is [redacted:PIECES], not abab-xy or ab');
    const json = events.map((event) => (event.type === 'tool_call_delta' ? event.inputJson : '')).join('');
    assert.equal(json, '{"a":"[redacted:PIECES]"}');
    assert.deepEqual(typesOf(events).slice(-2), ['thinking_delta', 'done']);
  });

  test('a transcript of the runtime is returned without registered secrets', async (t) => {
    const { box, directory } = place;
    box.secrets.add('STORED', 'stored-by-runtime');
    const own = runtimeTools('other');
    const transcriptOf = (text: string) =>
      [{ id: 'm', role: 'user', at: '', content: [{ type: 'text', text }] }] as const;
    const runtime: Runtime = {
      name: 'recorder',
      async *turn() {
        yield { type: 'memory', memory: 'm' };
        yield* textTurn('ok');
      },
      transcript: async () => transcriptOf('it is stored-by-runtime'),
      close: () => Promise.resolve(),
    };
    const agents = { defaultName: 'recorder', list: () => [{ name: 'recorder', runtime, runtimeTools: own }] };
    const sessions = await createSessions({ box, agents, cwd: directory });
    t.after(() => sessions.close({ graceMs: 0 }));
    const { id } = await sessions.create({}, ann);
    await runTurn(sessions, id, 'go');
    assert.deepEqual(await sessions.transcript(id), transcriptOf('it is [redacted:STORED]'));
  });
});
