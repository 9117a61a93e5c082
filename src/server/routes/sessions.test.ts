import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bodyOf, startTestServer } from '../../../test/support/http-server.ts';
import { eventsOf, openSessionServer } from '../../../test/support/sessions/session-server.ts';
import type { TranscriptMessage } from '../../runtimes/transcript.ts';
import type { Session } from '../../sessions/session.ts';
import type { AgentSummary, SessionPage } from '../../sessions/sessions.ts';
import type { ProblemDocument } from '../problems/problem.ts';

describe('sessions over HTTP', () => {
  it('are begun, listed, read, renamed, forked and forgotten', async (test) => {
    const { ask, place } = await openSessionServer(test);
    const made = await ask('POST', '/api/sessions', { title: 'Notes', permissionMode: 'plan' });
    assert.equal(made.status, 201);
    const session = await bodyOf<Session>(made);
    const path = `/api/sessions/${session.id}`;
    assert.equal(made.headers.get('location'), path);
    assert.deepEqual(
      [session.agent, session.title, session.permissionMode, session.cwd, session.state],
      ['demo', 'Notes', 'plan', place.directory, 'idle'],
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

  it('are listed page by page, by directory and by whether something runs', async (test) => {
    const { ask, create, place } = await openSessionServer(test);
    const data = join(place.directory, 'data');
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
    const narrowed = async (query: string): Promise<number> =>
      (await bodyOf<SessionPage>(ask('GET', `/api/sessions?${query}`))).items.length;
    assert.equal(await narrowed(`cwd=${encodeURIComponent(data)}`), 1);
    assert.equal(await narrowed('active=true'), 0);
    assert.equal(await narrowed('active=false'), 3);
    assert.equal(await narrowed('owner=nobody'), 0);
  });

  it('have a transcript', async (test) => {
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

  it('are held with the agents that are listed', async (test) => {
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

  it('refuse what they cannot be, and say why', async (test) => {
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

  it('are unknown where they are not there, on every route', async (test) => {
    const { ask } = await openSessionServer(test);
    for (const [method, path, body] of routesOfOne('sess_none')) {
      const response = await ask(method, path, body);
      assert.deepEqual(
        [response.status, (await bodyOf<ProblemDocument>(response)).code],
        [404, 'session-unknown'],
        path,
      );
    }
  });

  it('are absent, clearly, on a server that holds none', async (test) => {
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

function routesOfOne(id: string): readonly (readonly [method: string, path: string, body?: object])[] {
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
