import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createOpenApiAssertion } from '../../../../test/support/http/openapi-assertion.ts';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import { eventsOf, openSessionServer } from '../../../../test/support/sessions/session-server.ts';
import type { TranscriptMessage, Turn, TurnEvent } from '../../../runtimes/runtime.ts';
import type { ConfigurationChanged } from '../../../journal/entries/journal-event.ts';
import type { AgentSummary, Session, SessionPage } from '../../../sessions/sessions.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

describe('sessions over HTTP', () => {
  it('are created, listed, read, renamed, forked and deleted', async (test) => {
    const { ask, fixture } = await openSessionServer(test);
    const created = await ask('POST', '/api/sessions', { title: 'Notes', permissionMode: 'plan' });
    assert.equal(created.status, 201);
    const session = await bodyOf<Session>(created);
    const path = `/api/sessions/${session.id}`;
    assert.equal(created.headers.get('location'), path);
    assert.deepEqual(
      [session.agent, session.title, session.permissionMode, session.cwd, session.state],
      ['demo', 'Notes', 'plan', fixture.directory, 'idle'],
    );
    assert.deepEqual(await bodyOf(ask('GET', path)), session);
    const renamed = await bodyOf<Session>(ask('PATCH', path, { title: 'Better notes', permissionMode: 'default' }));
    assert.deepEqual([renamed.title, renamed.permissionMode], ['Better notes', 'default']);
    const forked = await ask('POST', `${path}/fork`);
    assert.equal(forked.status, 201);
    const fork = await bodyOf<Session>(forked);
    assert.deepEqual([fork.forkedFrom, forked.headers.get('location')], [session.id, `/api/sessions/${fork.id}`]);
    const listed = await bodyOf<SessionPage>(ask('GET', '/api/sessions'));
    assert.deepEqual(listed.items.map(({ id }) => id).toSorted(), [fork.id, session.id].toSorted());
    assert.equal((await ask('DELETE', path)).status, 204);
    assert.equal((await ask('GET', path)).status, 404);
  });

  it('return their messages in pages, starting with the last one', async (test) => {
    const { ask, create, say } = await openSessionServer(test);
    const id = await create();
    for (const content of ['ping the server', 'ping it again', 'and again']) await eventsOf(await say(id, content));
    interface Transcript {
      readonly items: readonly TranscriptMessage[];
      readonly before?: string;
    }
    const read = (query = ''): Promise<Transcript> =>
      bodyOf<Transcript>(ask('GET', `/api/sessions/${id}/messages${query}`));
    const all = await read();
    assert.ok(all.items.length >= 6 && all.before === undefined);
    const pages: TranscriptMessage[][] = [];
    for (let page = await read('?limit=4'); ; page = await read(`?limit=4&before=${page.before}`)) {
      pages.unshift([...page.items]);
      if (page.before === undefined) break;
    }
    assert.ok(pages.length >= 2);
    assert.deepEqual(pages.flat(), all.items);
    assert.equal((await ask('GET', `/api/sessions/${id}/messages?before=none`)).status, 400);
  });

  it('replay their recorded calls without running tools, also with other rules', async (test) => {
    const { call, send, box } = await startTestServer(test);
    await call('echo', { arguments: { text: 'a' }, sessionId: 'one' });
    await call('break', { sessionId: 'one' });
    const before = (await box.journal.calls()).items.length;
    const replay = async (body: object): Promise<unknown[]> => {
      const { items } = await bodyOf<{ items: { tool: string; replayed: string; differs: string }[] }>(
        send(adminToken, 'POST', '/api/sessions/one/replay', body),
      );
      return items.map(({ tool, replayed, differs }) => [tool, replayed, differs]);
    };
    assert.deepEqual(await replay({}), [
      ['mcp__test__echo', 'completed', 'no'],
      ['mcp__test__break', 'failed', 'no'],
    ]);
    assert.deepEqual(await replay({ text: '- id: no\n  match: mcp__test__echo\n  deny: "true"\n' }), [
      ['mcp__test__echo', 'denied', 'outcome'],
      ['mcp__test__break', 'failed', 'no'],
    ]);
    assert.equal((await box.journal.calls()).items.length, before);
    assert.equal((await send(adminToken, 'POST', '/api/sessions/none/replay', {})).status, 404);
    assert.equal((await send(adminToken, 'POST', '/api/sessions/one/replay', { text: '- x' })).status, 400);
  });

  it('are listed in pages, and by directory, activity and owner', async (test) => {
    const { ask, create, fixture } = await openSessionServer(test);
    const data = join(fixture.directory, 'data');
    const ids = [await create(), await create(), await create({ cwd: data })];
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const page = await bodyOf<SessionPage>(
        ask('GET', `/api/sessions?limit=2${next === undefined ? '' : `&after=${encodeURIComponent(next)}`}`),
      );
      seen.push(...page.items.map(({ id }) => id));
      ({ next } = page);
    } while (next !== undefined);
    assert.deepEqual(seen.toSorted(), ids.toSorted());
    const countOf = async (query: string): Promise<number> =>
      (await bodyOf<SessionPage>(ask('GET', `/api/sessions?${query}`))).items.length;
    assert.equal(await countOf(`cwd=${encodeURIComponent(data)}`), 1);
    assert.equal(await countOf('active=true'), 0);
    assert.equal(await countOf('active=false'), 3);
    assert.equal(await countOf('owner=nobody'), 0);
  });

  it('return a transcript with messages and tool calls', async (test) => {
    const { ask, create, say } = await openSessionServer(test);
    const id = await create();
    await eventsOf(await say(id, 'ping the server'));
    const { items } = await bodyOf<{ items: TranscriptMessage[] }>(ask('GET', `/api/sessions/${id}/messages`));
    assert.deepEqual(
      items.map(({ role }) => role),
      ['user', 'assistant'],
    );
    assert.deepEqual(items[0]?.content, [{ type: 'text', text: 'ping the server' }]);
    assert.ok(items[1]?.content.some((part) => part.type === 'tool_call' && part.toolName === 'mcp__signalbox__ping'));
  });

  it('use the listed agents, and refuse others with a suggestion', async (test) => {
    const { ask } = await openSessionServer(test);
    const { items } = await bodyOf<{ items: AgentSummary[] }>(ask('GET', '/api/agents'));
    assert.deepEqual(items, [
      { name: 'demo', runtime: 'model', model: 'demo', isDefault: true },
      { name: 'scripted', runtime: 'scripted', isDefault: false },
    ]);
    const refused = await ask('POST', '/api/sessions', { agent: 'dem' });
    assert.equal(refused.status, 404);
    const { code, detail } = await bodyOf<ProblemDocument>(refused);
    assert.equal(code, 'agent-unknown');
    assert.match(detail, /did you mean "demo"/);
  });

  it('refuse invalid properties and queries', async (test) => {
    const { ask, create } = await openSessionServer(test);
    const id = await create();
    for (const body of [{ permissionMode: 'free' }, { title: 7 }, { colour: 'blue' }])
      assert.equal((await ask('POST', '/api/sessions', body)).status, 400, JSON.stringify(body));
    for (const body of [{ title: ' ' }, { cwd: '/nowhere/at/all' }]) {
      const refused = await ask('POST', '/api/sessions', body);
      assert.deepEqual([refused.status, (await bodyOf<ProblemDocument>(refused)).code], [422, 'session-invalid']);
    }
    for (const body of [{}, { owner: 'me' }])
      assert.equal((await ask('PATCH', `/api/sessions/${id}`, body)).status, 400);
    for (const query of ['limit=0', 'limit=x', 'active=perhaps', 'nonsense=1'])
      assert.equal((await ask('GET', `/api/sessions?${query}`)).status, 400, query);
  });

  it('return 404 on every route when they do not exist', async (test) => {
    const { ask } = await openSessionServer(test);
    for (const [method, path, body] of routesOfSession('sess_none')) {
      const response = await ask(method, path, body);
      assert.deepEqual(
        [response.status, (await bodyOf<ProblemDocument>(response)).code],
        [404, 'session-unknown'],
        path,
      );
    }
  });

  it('return responses and events as documented', async (test) => {
    const { ask, create, fixture } = await openSessionServer(test);
    const assertDocumented = await createOpenApiAssertion(ask('GET', '/openapi.json'));
    const [all, one] = ['/api/sessions', '/api/sessions/{id}'];
    const id = await create();
    const path = `/api/sessions/${id}`;
    await assertDocumented('get', '/api/agents', await ask('GET', '/api/agents'));
    await assertDocumented('post', all, await ask('POST', all, { title: 'x' }));
    await assertDocumented('post', all, await ask('POST', all, { title: '' }));
    await assertDocumented('get', all, await ask('GET', `${all}?limit=1`));
    await assertDocumented('get', one, await ask('GET', path));
    await assertDocumented('patch', one, await ask('PATCH', path, { permissionMode: 'plan' }));
    await assertDocumented('patch', one, await ask('PATCH', path, {}));
    await assertDocumented('post', `${one}/fork`, await ask('POST', `${path}/fork`));
    await assertDocumented('post', `${one}/interrupt`, await ask('POST', `${path}/interrupt`));
    const messages = `${path}/messages`;
    await assertDocumented('post', `${one}/messages`, await ask('POST', messages, { content: 'ping the server' }));
    const streamed = await ask('POST', messages, { content: 'ping the server' }, { accept: 'text/event-stream' });
    await assertDocumented('post', `${one}/messages`, streamed);
    await assertDocumented('get', `${one}/messages`, await ask('GET', messages));
    fixture.script = everyEvent;
    const answered: Promise<void>[] = [];
    fixture.sessions.subscribe((event) => {
      const answer = (action: string, body: object): void =>
        void answered.push(
          ask('POST', `${all}/${event.sessionId}/${action}`, body).then((response) =>
            assertDocumented('post', `${one}/${action}`, response),
          ),
        );
      if (event.type === 'question_prompt') answer('submit-answers', { toolCallId: event.toolCallId, answers: {} });
      if (event.type === 'approval_required') answer('approve', { toolCallId: event.toolCallId });
    });
    for (const [agent, content] of [
      ['scripted', 'emit every event'],
      ['demo', 'call mcp__notes__write {"text":"mine"}'],
    ] as const) {
      const messagesPath = `${all}/${await create({ agent })}/messages`;
      const turn = await ask('POST', messagesPath, { content }, { accept: 'text/event-stream' });
      await assertDocumented('post', `${one}/messages`, turn);
      await assertDocumented('get', `${one}/messages`, await ask('GET', messagesPath));
    }
    assert.equal(answered.length, 2);
    await Promise.all(answered);
    await assertDocumented('post', `${one}/deny`, await ask('POST', `${path}/deny`, { toolCallId: 'none' }));
    await assertDocumented('post', `${one}/approve`, await ask('POST', `${path}/approve`, {}));
  });

  it('of others look unknown to an agent; viewers and approvers see all', async (test) => {
    const { ask, as, create } = await openSessionServer(test);
    const [agent, other, viewer, approver] = [
      await as('agent'),
      await as('agent'),
      await as('viewer'),
      await as('approver'),
    ];
    const ofAdmin = await create();
    const { id } = await bodyOf<Session>(ask('POST', '/api/sessions', {}, agent));
    const listed = async (headers: Record<string, string>, query = ''): Promise<string[]> =>
      (await bodyOf<SessionPage>(ask('GET', `/api/sessions${query}`, undefined, headers))).items.map((each) => each.id);
    assert.deepEqual(await listed(agent), [id]);
    assert.deepEqual(await listed(agent, '?owner=token:admin'), [id]);
    assert.deepEqual(await listed(other), []);
    for (const headers of [viewer, approver])
      assert.deepEqual((await listed(headers)).toSorted(), [ofAdmin, id].toSorted());
    const detailOf = async (method: string, path: string, body: object | undefined): Promise<string | undefined> =>
      (await bodyOf<ProblemDocument>(ask(method, path, body, other))).detail?.replaceAll(/sess_\w+/g, 'ID');
    for (const foreign of [ofAdmin, id]) {
      for (const [method, path, body] of routesOfSession(foreign)) {
        const response = await ask(method, path, body, other);
        const { code } = await bodyOf<ProblemDocument>(response);
        const unknownPath = path.replace(foreign, 'sess_never');
        assert.equal(
          await detailOf(method, path, body),
          await detailOf(method, unknownPath, body),
          `${method} ${path}`,
        );
        const unknown = [404, 'session-unknown'];
        const refused = [403, 'role-refused'];
        const isAnswer = /\/(approve|deny|submit-answers)$/.test(path);
        assert.deepEqual([response.status, code], isAnswer ? refused : unknown, `${method} ${path}`);
      }
    }
    assert.equal((await ask('GET', `/api/sessions/${id}`, undefined, agent)).status, 200);
    assert.equal((await ask('GET', `/api/sessions/${ofAdmin}/messages`, undefined, viewer)).status, 200);
    assert.equal((await ask('POST', `/api/sessions/${ofAdmin}/messages`, { content: 'x' }, viewer)).status, 403);
    assert.equal((await ask('POST', `/api/sessions/${id}/interrupt`, undefined, approver)).status, 200);
  });

  it('cannot get a less restrictive permission mode from an agent', async (test) => {
    const { ask, as } = await openSessionServer(test);
    const [agent, approver] = [await as('agent'), await as('approver')];
    const { id } = await bodyOf<Session>(ask('POST', '/api/sessions', { permissionMode: 'plan' }, agent));
    const path = `/api/sessions/${id}`;
    for (const permissionMode of ['acceptEdits', 'bypassPermissions']) {
      for (const refused of [
        await ask('POST', '/api/sessions', { permissionMode }, agent),
        await ask('PATCH', path, { permissionMode }, agent),
      ]) {
        assert.deepEqual([refused.status, (await bodyOf<ProblemDocument>(refused)).code], [403, 'role-refused']);
      }
      assert.equal((await ask('PATCH', path, { permissionMode }, approver)).status, 200);
      assert.equal(
        (await ask('POST', `${path}/fork`, undefined, agent)).status,
        403,
        'a fork would have the same mode',
      );
    }
    for (const permissionMode of ['dontAsk', 'default'])
      assert.equal((await ask('PATCH', path, { permissionMode }, agent)).status, 200);
    assert.equal((await ask('POST', `${path}/fork`, undefined, agent)).status, 201);
  });

  it('record who changed the permission mode of which session', async (test) => {
    const { ask, as } = await openSessionServer(test);
    const { id } = await bodyOf<Session>(ask('POST', '/api/sessions', {}));
    const approver = await as('approver');
    for (const change of [{ permissionMode: 'acceptEdits' }, { permissionMode: 'acceptEdits' }, { title: 'Other' }])
      await ask('PATCH', `/api/sessions/${id}`, change, approver);
    const free = await bodyOf<Session>(ask('POST', '/api/sessions', { permissionMode: 'bypassPermissions' }));
    const { items } = await bodyOf<{ items: ConfigurationChanged[] }>(
      ask('GET', '/api/journal?type=ConfigurationChanged'),
    );
    assert.deepEqual(
      new Set(items.map(({ status, details }) => `${status}: ${details.join()}`)),
      new Set([
        `applied: permission mode of session ${id}: default to acceptEdits`,
        `applied: session ${free.id} was created in bypassPermissions`,
      ]),
    );
    assert.ok(items.every(({ by }) => by?.kind === 'human'));
  });

  it('cannot be created with a token that is bound to a profile', async (test) => {
    const { ask, fixture } = await openSessionServer(test);
    const by = { id: 'alice', kind: 'human' } as const;
    const { token } = await fixture.box.tokens.create({ role: 'agent', profile: 'calm', by });
    const refused = await ask('POST', '/api/sessions', {}, { authorization: `Bearer ${token}` });
    assert.deepEqual([refused.status, (await bodyOf<ProblemDocument>(refused)).code], [403, 'role-refused']);
  });

  it('of others cannot be used in calls by agents, even before the first call', async (test) => {
    const { ask, as, create } = await openSessionServer(test);
    const body = { sessionId: await create() };
    const call = '/api/tools/mcp__signalbox__ping/call';
    assert.equal((await ask('POST', call, body, await as('agent'))).status, 404);
    assert.equal((await ask('POST', call, body)).status, 200);
  });

  it('return 404 on a server without sessions', async (test) => {
    const { get } = await startTestServer(test);
    for (const path of ['/api/agents', '/api/sessions', '/api/sessions/x', '/api/sessions/x/events']) {
      const response = await get(path);
      assert.deepEqual(
        [response.status, (await bodyOf<ProblemDocument>(response)).code],
        [404, 'sessions-absent'],
        path,
      );
    }
  });
});

function routesOfSession(id: string): readonly (readonly [method: string, path: string, body?: object])[] {
  const path = `/api/sessions/${id}`;
  return [
    ['GET', path],
    ['PATCH', path, { title: 'x' }],
    ['DELETE', path],
    ['GET', `${path}/messages`],
    ['POST', `${path}/messages`, { content: 'x' }],
    ['GET', `${path}/events`],
    ['POST', `${path}/approve`, { toolCallId: 'x' }],
    ['POST', `${path}/deny`, { toolCallId: 'x' }],
    ['POST', `${path}/submit-answers`, { toolCallId: 'x', answers: {} }],
    ['POST', `${path}/interrupt`],
    ['POST', `${path}/fork`],
  ];
}

/** A turn with every event that a runtime can report. */
async function* everyEvent(turn: Turn): AsyncGenerator<TurnEvent> {
  const toolCallId = 'call_1';
  yield { type: 'status', model: 'some', costUsd: 0.5, contextTokens: 12 };
  yield { type: 'thinking_delta', text: 'hm' };
  yield { type: 'text_delta', text: 'well' };
  yield { type: 'tool_call_start', toolCallId, toolName: 'mcp__notes__write', server: 'notes', tool: 'write' };
  yield { type: 'tool_call_delta', toolCallId, inputJson: '{"text":' };
  yield { type: 'tool_call_end', toolCallId, input: { text: 'x' } };
  yield { type: 'tool_progress', toolCallId, progress: { progress: 1, total: 2, message: 'half' } };
  const changes = [{ workspace: '/w', path: 'a', kind: 'modified', diff: '-a\n+b' }] as const;
  const content = [
    { type: 'text', text: 'done' },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
    { type: 'resource_link', uri: 'signalbox://x', name: 'x' },
  ] as const;
  yield { type: 'tool_result', toolCallId, outcome: 'completed', content, durationMs: 1.5, changes };
  await turn.ask('call_2', [
    { question: 'Which?', header: 'h', options: [{ label: 'a', description: 'd' }], multiSelect: true },
  ]);
  yield { type: 'error', code: 'model-failed', message: 'no more' };
  yield { type: 'done', reason: 'error' };
}
