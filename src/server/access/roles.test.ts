import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OpenAPIHono, createRoute } from '@hono/zod-openapi';
import { adminToken, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import type { CallStarted, ToolInvoked } from '../../journal/entries/journal-event.ts';
import { type Role, roles } from '../../core/principal.ts';
import type { ServerEnvironment } from '../http/server-context.ts';
import type { ProblemDocument } from '../problems/problem.ts';
import { collectRouteAccess } from './authorize.ts';
import { routeRoles } from './route-roles.ts';

interface Documented {
  readonly paths: Record<string, Record<string, { 'x-roles'?: readonly Role[]; security?: readonly unknown[] }>>;
}

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly accepted: readonly Role[];
}

/** The requests besides GET that are open to roles other than admin. A new entry requires a decision about its roles. */
const changeRoutes: Readonly<Record<string, readonly Role[]>> = {
  'POST /api/tools/{name}/call': routeRoles.call,
  'POST /api/resources/read': routeRoles.call,
  'POST /api/prompts/get': routeRoles.call,
  'POST /api/call-questions/{id}': routeRoles.call,
  'DELETE /api/call-streams/{id}': routeRoles.call,
  'POST /api/calls/{id}/undo': routeRoles.answer,
  'POST /api/sessions/{id}/undo': routeRoles.answer,
  'POST /api/calls/{id}/settle': routeRoles.answer,
  'POST /api/approvals/{id}/approve': routeRoles.answer,
  'POST /api/approvals/{id}/deny': routeRoles.answer,
  'POST /api/approvals/{id}/reveal': routeRoles.answer,
  'POST /api/policies/backtest': routeRoles.read,
  'POST /api/policies/check': routeRoles.read,
  'POST /api/sessions': routeRoles.call,
  'POST /api/sessions/{id}/messages': routeRoles.call,
  'POST /api/sessions/{id}/fork': routeRoles.call,
  'POST /api/sessions/{id}/replay': routeRoles.read,
  'DELETE /api/sessions/{id}': routeRoles.call,
  'PATCH /api/sessions/{id}': routeRoles.steer,
  'POST /api/sessions/{id}/interrupt': routeRoles.steer,
  'POST /api/sessions/{id}/approve': routeRoles.answer,
  'POST /api/sessions/{id}/deny': routeRoles.answer,
  'POST /api/sessions/{id}/submit-answers': routeRoles.answer,
  'POST /api/sessions/{id}/answer-elicitation': routeRoles.answer,
};

/** The paths that agents may read. */
const agentRoutes = new Set(
  [
    '/docs',
    '/openapi.json',
    '/assets/page.css',
    '/api/info',
    '/api/tools',
    '/api/resources',
    '/api/prompts',
    '/api/tools/{name}',
    '/api/servers',
    '/api/calls',
    '/api/calls/{id}',
    '/api/results/{id}',
    '/api/agents',
    '/api/sessions',
    '/api/sessions/{id}',
    '/api/sessions/{id}/messages',
    '/api/sessions/{id}/events',
  ].map((path) => `GET ${path}`),
);

async function operations(get: (path: string) => Promise<Response>): Promise<Operation[]> {
  const { paths } = await bodyOf<Documented>(get('/openapi.json'));
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([verb, { 'x-roles': accepted = [] }]) => {
        const method = verb.toUpperCase();
        return { name: `${method} ${path}`, method, path, accepted };
      }),
  );
}

describe('roles', () => {
  it('every route accepts the roles that it declares, and refuses others with 403 and a reason', async (test) => {
    const { get, send, token } = await startTestServer(test);
    const tokens = new Map<Role, string>();
    for (const role of roles) tokens.set(role, (await token(role)).token);
    const all = await operations(get);
    assert.ok(all.length > 25);
    for (const { name, method, path, accepted } of all) {
      assert.ok(accepted.includes('admin'), name);
      for (const [role, presented] of tokens) {
        const response = await send(presented, method, path.replaceAll(/\{\w+\}/g, 'none'));
        if (accepted.includes(role)) {
          assert.notEqual(response.status, 403, `${name} accepted ${role}`);
          await response.body?.cancel();
        } else {
          const { code, detail } = await bodyOf<ProblemDocument>(response);
          assert.deepEqual([response.status, code], [403, 'role-refused'], `${name} refuses ${role}`);
          assert.ok(detail.includes(`has the role ${role}`) && detail.includes(accepted.join(' or ')), detail);
        }
      }
    }
  });

  it('/api/info returns the caller and its role', async (test) => {
    const { get, send, token } = await startTestServer(test);
    for (const role of roles) {
      const { token: presented, id } = await token(role);
      const { reader } = await bodyOf<{ reader: unknown }>(send(presented, 'GET', '/api/info'));
      assert.deepEqual(reader, { id: `token:${id}`, role });
    }
    const { reader } = await bodyOf<{ reader: unknown }>(get('/api/info'));
    assert.deepEqual(reader, { id: 'token:admin', name: 'admin token', role: 'admin' });
  });

  it('only admins may change anything and agents may see nothing, except through the listed routes', async (test) => {
    const { get } = await startTestServer(test);
    for (const { name, method, accepted } of await operations(get)) {
      if (method !== 'GET') assert.deepEqual(accepted, changeRoutes[name] ?? ['admin'], name);
      else if (accepted.includes('agent')) assert.ok(agentRoutes.has(name), name);
    }
  });

  it('creating the app fails with a route that declares no roles', () => {
    const app = new OpenAPIHono<ServerEnvironment>();
    app.use(async (_context, next) => next());
    const responses = { 200: { description: 'ok' } };
    app.openapi(createRoute({ method: 'get', path: '/open', security: [], responses }), (context) =>
      context.body(null),
    );
    const good = createRoute({ method: 'get', path: '/a/{id}', 'x-roles': routeRoles.view, responses });
    app.openapi(good, (context) => context.body(null));
    assert.deepEqual([...collectRouteAccess(app)], [['GET /a/:id', { roles: routeRoles.view, isPage: false }]]);
    for (const add of [
      (to: typeof app) => to.get('/b', (context) => context.body(null)),
      (to: typeof app) => to.all('/b', (context) => context.body(null)),
      (to: typeof app) =>
        to.openapi(createRoute({ method: 'get', path: '/b', responses }), (context) => context.body(null)),
      (to: typeof app) =>
        to.openapi(createRoute({ method: 'get', path: '/b', 'x-roles': [], responses }), (context) =>
          context.body(null),
        ),
      (to: typeof app) =>
        to.openapi(createRoute({ method: 'get', path: '/b', 'x-roles': ['boss'], responses }), (context) =>
          context.body(null),
        ),
    ]) {
      const other = new OpenAPIHono<ServerEnvironment>();
      add(other);
      assert.throws(() => collectRouteAccess(other), /(GET|ALL) \/b declares no roles/);
    }
  });

  it('an agent sees its own calls and results, but not those of others', async (test) => {
    const { token, send, call, box } = await startTestServer(test);
    const [mine, other] = [(await token('agent')).token, (await token('agent')).token];
    const path = '/api/tools/mcp__test__long/call';
    const made = await bodyOf(send(mine, 'POST', path));
    const foreign = await bodyOf(send(other, 'POST', path));
    await call('long');
    const list = await bodyOf<{ items: (ToolInvoked | CallStarted)[] }>(send(mine, 'GET', '/api/calls'));
    assert.deepEqual(
      list.items.map(({ callId }) => callId),
      [made.callId],
    );
    const [{ principal } = { principal: { id: '' } }] = (await box.journal.calls({ call: foreign.callId })).items;
    const others = await bodyOf<{ items: unknown[] }>(send(mine, 'GET', `/api/calls?principal=${principal.id}`));
    assert.deepEqual(others.items, []);
    for (const kind of ['calls', 'results']) {
      assert.equal((await send(mine, 'GET', `/api/${kind}/${made.callId}`)).status, 200);
      const hidden = await send(mine, 'GET', `/api/${kind}/${foreign.callId}`);
      const absent = await send(mine, 'GET', `/api/${kind}/call_none`);
      assert.deepEqual([hidden.status, absent.status], [404, 404], 'a hidden call looks like an unknown one');
      assert.equal((await send(adminToken, 'GET', `/api/${kind}/${foreign.callId}`)).status, 200);
    }
  });

  it('an agent makes calls in its own sessions, but not in those of others', async (test) => {
    const { token, send, call } = await startTestServer(test);
    const [mine, other] = [(await token('agent')).token, (await token('agent')).token];
    const callIn = async (presented: string, sessionId: string): Promise<number> => {
      const body = { arguments: { text: 'a' }, sessionId };
      return (await send(presented, 'POST', '/api/tools/mcp__test__echo/call', body)).status;
    };
    await call('echo', { arguments: { text: 'a' }, sessionId: 'session-of-a-human' });
    assert.equal(await callIn(mine, 'session-of-a-human'), 404);
    assert.deepEqual([await callIn(mine, 'x'), await callIn(other, 'x'), await callIn(mine, 'x')], [200, 404, 200]);
    assert.equal(await callIn(adminToken, 'x'), 200);
  });

  it('a token that is bound to a profile sees and calls only its tools, whatever profile the request names', async (test) => {
    const { box, send } = await startTestServer(test);
    box.profiles.set({ quiet: { tools: ['!echo'] }, all: {} });
    const by = { id: 'alice', kind: 'human' } as const;
    const { token } = await box.tokens.create({ role: 'agent', profile: 'quiet', by });
    for (const path of ['/api/tools', '/api/tools?profile=all']) {
      const { items } = await bodyOf<{ items: { name: string }[] }>(send(token, 'GET', path));
      assert.ok(items.length > 0 && items.every(({ name }) => name !== 'mcp__test__echo'));
    }
    assert.equal((await send(token, 'GET', '/api/tools/mcp__test__echo')).status, 404);
    const call = (tool: string): Promise<Response> =>
      send(token, 'POST', `/api/tools/mcp__test__${tool}/call`, { arguments: { text: 'a' } });
    assert.deepEqual(
      [(await bodyOf(call('echo'))).outcome, (await bodyOf(call('long'))).outcome],
      ['denied', 'completed'],
    );
    const unbound = await box.tokens.create({ role: 'agent', profile: 'none', by });
    const response = await send(unbound.token, 'GET', '/api/tools');
    assert.deepEqual([response.status, (await bodyOf<ProblemDocument>(response)).code], [404, 'profile-unknown']);
    const called = await bodyOf(send(unbound.token, 'POST', '/api/tools/mcp__test__long/call'));
    assert.equal(called.outcome, 'denied');
  });
});
