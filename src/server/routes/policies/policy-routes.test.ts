import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TestServer, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { PolicySummary } from '../../../pipeline/policies/active-policies.ts';
import type { ConfigurationChanged, ToolInvoked } from '../../../journal/entries/journal-event.ts';
import type { Backtest } from '../../../policy/backtest.ts';
import type { ProblemDocument } from '../../problems/problem.ts';
import { localUser } from '../../../access/local-user.ts';

describe('/api/policies', () => {
  type Send = (method: string, path: string, body: unknown) => Promise<Response>;
  const sendWith =
    (url: string, credentials: Record<string, string>): Send =>
    (method, path, body) => {
      const headers = { ...credentials, 'content-type': 'application/json' };
      const init = { method, headers, body: JSON.stringify(body) };
      return fetch(url + path, init);
    };
  /** Returns a function that sends requests as the user of a signed-in browser. */
  const sendAsBrowser = async ({ server: { url }, signIn }: TestServer): Promise<Send> =>
    sendWith(url, { ...(await signIn()), origin: url });

  it('returns and replaces the active rules; later calls are decided by the new rules', async (test) => {
    const started = await startTestServer(test);
    const { get, call, box } = started;
    await box.policies.set([{ name: 'mine', check: () => undefined }]);
    const send = await sendAsBrowser(started);
    assert.deepEqual(await bodyOf<PolicySummary>(get('/api/policies')), {
      version: box.policies.list().version,
      rules: [],
      code: ['mine'],
    });
    const text = '- id: quiet\n  match: mcp__test__echo\n  deny: args.text == "loud"\n';
    const changed = await bodyOf<PolicySummary>(send('PUT', '/api/policies', { text }));
    assert.deepEqual(changed.rules, [
      { rule: { id: 'quiet', match: 'mcp__test__echo', deny: 'args.text == "loud"' }, at: 'policies:1' },
    ]);
    assert.deepEqual(changed.code, ['mine']);
    const { outcome, decision } = await bodyOf(call('echo', { arguments: { text: 'loud' } }));
    assert.equal(outcome, 'denied');
    assert.deepEqual(decision, {
      answer: 'deny',
      rule: 'quiet',
      reason: 'args.text == "loud"',
      at: 'policies:1',
      values: { 'args.text': 'loud' },
      policy: changed.version,
    });
  });

  it('accepts rules from admins only, and records the author and version', async (test) => {
    const started = await startTestServer(test);
    const { get, box, server, token } = started;
    const rules = [{ id: 'open', allow: true }];
    const before = box.policies.list();
    for (const role of ['agent', 'approver', 'viewer'] as const) {
      const sendAs = sendWith(server.url, { authorization: `Bearer ${(await token(role)).token}` });
      const refused = await sendAs('PUT', '/api/policies', { rules });
      assert.deepEqual([refused.status, (await bodyOf<ProblemDocument>(refused)).code], [403, 'role-refused']);
    }
    assert.deepEqual(box.policies.list(), before);
    const send = await sendAsBrowser(started);
    const { version } = await bodyOf<PolicySummary>(send('PUT', '/api/policies', { rules }));
    const recorded = get('/api/journal?type=ConfigurationChanged');
    const { items } = await bodyOf<{ items: ConfigurationChanged[] }>(recorded);
    assert.deepEqual(
      items.map(({ status, by, details }) => [status, by, details]),
      [['applied', localUser(), [`changed the policies: 1 rule, version ${version} instead of none`]]],
    );
  });

  it('refuses invalid rules with all errors, and changes nothing', async (test) => {
    const started = await startTestServer(test);
    const { box } = started;
    const send = await sendAsBrowser(started);
    const before = box.policies.list();
    const response = await send('PUT', '/api/policies', { text: '- id: a\n  denny: true\n- id: b\n  deny: x > 1\n' });
    const { code, issues } = await bodyOf<{ code: string; issues: unknown[] }>(response);
    assert.deepEqual([response.status, code], [400, 'policy-invalid']);
    assert.deepEqual(issues[0], { path: 'policies:2:3 [0].denny', message: 'unknown key; did you mean "deny"?' });
    assert.deepEqual(box.policies.list(), before);
    for (const body of [{}, { rules: [], text: '' }, { rules: 7 }])
      assert.equal((await send('PUT', '/api/policies', body)).status, 400);
  });

  it('checks rules without activating them, and returns every error with line, column and hint', async (test) => {
    const started = await startTestServer(test);
    const { box } = started;
    const send = await sendAsBrowser(started);
    const before = box.policies.list();
    const check = (body: object): Promise<unknown> => bodyOf<unknown>(send('POST', '/api/policies/check', body));
    assert.deepEqual(await check({ text: '- id: a\n  denny: true\n- id: b\n  deny: x >\n' }), {
      valid: false,
      rules: 0,
      problems: [
        { line: 2, column: 3, path: '[0].denny', message: 'unknown key', hint: 'did you mean "deny"?' },
        ...((await check({ text: '- id: b\n  deny: x >\n' })) as { problems: { line: number }[] }).problems.map(
          (problem) => ({ ...problem, line: problem.line + 2, path: '[1].deny' }),
        ),
      ],
    });
    const { valid, rules, version } = (await check({ text: '- id: a\n  deny: "true"\n' })) as Record<string, unknown>;
    assert.deepEqual([valid, rules, typeof version], [true, 1, 'string']);
    assert.equal(((await check({ text: '- id: [' })) as { valid: boolean }).valid, false);
    assert.deepEqual(box.policies.list(), before);
    assert.equal((await send('PUT', '/api/policies', { text: '', save: true })).status, 404, 'no configuration');
  });

  it('lists the calls that a rule in shadow mode would have decided differently', async (test) => {
    const started = await startTestServer(test);
    const { call, get } = started;
    const send = await sendAsBrowser(started);
    const rules = [{ id: 'trial', match: 'mcp__test__echo', deny: "args.text == 'b'", mode: 'shadow' }];
    assert.equal((await send('PUT', '/api/policies', { rules })).status, 200);
    await call('echo', { arguments: { text: 'a' } });
    const { callId } = await bodyOf(call('echo', { arguments: { text: 'b' } }));
    const { items } = await bodyOf<{ items: ToolInvoked[] }>(get('/api/calls?shadowed=true'));
    assert.deepEqual(
      items.map((shown) => [shown.callId, shown.outcome, shown.decision?.shadow?.map(({ rule }) => rule)]),
      [[callId, 'completed', ['trial']]],
    );
    assert.equal((await get('/api/calls?shadowed=yes')).status, 400);
  });

  it('backtests rules on the recorded calls', async (test) => {
    const started = await startTestServer(test);
    const { call } = started;
    const send = await sendAsBrowser(started);
    await call('echo', { arguments: { text: 'a' } });
    await call('echo', { arguments: { text: 'b' } });
    const rules = [{ id: 'no-b', match: 'mcp__test__echo', deny: "args.text == 'b'" }];
    const { calls, changed } = await bodyOf<Backtest>(send('POST', '/api/policies/backtest', { rules }));
    assert.equal(calls, 2);
    assert.deepEqual(
      changed.map(({ before, after }) => [before.rule, after.rule]),
      [['default:read', 'no-b']],
    );
    const all = { rules: [{ id: 'none', deny: 'true' }], limit: 1 };
    const limited = await bodyOf<Backtest & { changedTotal: number }>(send('POST', '/api/policies/backtest', all));
    assert.deepEqual([limited.changedTotal, limited.changed.length], [2, 1]);
    const later = { rules, since: '2999-01-01T00:00:00Z' };
    assert.equal((await bodyOf<Backtest>(send('POST', '/api/policies/backtest', later))).calls, 0);
    assert.equal((await send('POST', '/api/policies/backtest', { rules, since: 'soon' })).status, 400);
  });
});
