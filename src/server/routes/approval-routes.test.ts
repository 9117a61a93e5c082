import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type TestServer, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import type { Approval, RememberedRule } from '../../core/calls/approval.ts';
import type { CallResult } from '../../core/calls/call.ts';
import type { ProblemDocument } from '../problems/problem.ts';
import { localUser } from '../../access/local-user.ts';

interface InboxServer extends TestServer {
  /** Sends a POST as the user of a signed-in browser. */
  post(path: string, body?: object): Promise<Response>;
  /** Makes a call that needs approval, and returns it with its pending approval. */
  request(tool?: string, body?: object): Promise<{ call: Promise<CallResult>; approval: Approval }>;
}

async function startInbox(test: TestContext): Promise<InboxServer> {
  const started = await startTestServer(test);
  const { server, call, box } = started;
  const browser = await started.signIn();
  return {
    ...started,
    post: (path, body = {}) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { ...browser, origin: server.url, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    async request(tool = 'burn', body = {}) {
      const ended = bodyOf(call(tool, body));
      for (;;) {
        const [approval] = await box.approvals.list();
        if (approval !== undefined) return { call: ended, approval };
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

describe('approval inbox over HTTP', () => {
  it('lists pending approvals; approving from a signed-in browser runs the waiting call', async (test) => {
    const { request, get, post } = await startInbox(test);
    const { call, approval } = await request();
    const { items } = await bodyOf<{ items: Approval[] }>(get('/api/approvals'));
    assert.deepEqual(items, [approval]);
    const answered = await post(`/api/approvals/${approval.id}/approve`);
    assert.equal(answered.status, 200);
    assert.deepEqual((await bodyOf<Approval>(answered)).answer?.by, localUser());
    assert.equal((await call).outcome, 'completed');
    assert.deepEqual(await bodyOf(get('/api/approvals')), { items: [], total: 0, callers: [] });
    const all = await bodyOf<{ items: Approval[] }>(get('/api/approvals?state=all'));
    assert.equal(all.items[0]?.state, 'used');
  });

  it('denies a call with a reason; a second answer gets 409 with the human who answered first', async (test) => {
    const { request, post } = await startInbox(test);
    const { call, approval } = await request();
    assert.equal((await post(`/api/approvals/${approval.id}/deny`, { reason: 'not today' })).status, 200);
    assert.match((await call).error?.message ?? '', /refused by user:.+: not today/);
    for (const action of ['approve', 'deny']) {
      const late = await post(`/api/approvals/${approval.id}/${action}`);
      assert.equal(late.status, 409);
      const { code, detail } = await bodyOf<ProblemDocument>(late);
      assert.equal(code, 'approval-answered');
      assert.match(detail, /was already denied by user:.+ at /);
    }
    assert.equal((await post('/api/approvals/appr_none/approve')).status, 404);
  });

  it('refuses answers of agents and viewers, and records those of approvers as answers of a human', async (test) => {
    const { request, send, token } = await startInbox(test);
    const { call, approval } = await request();
    for (const path of [`${approval.id}/approve`, `${approval.id}/deny`]) {
      for (const role of ['agent', 'viewer'] as const) {
        const response = await send((await token(role)).token, 'POST', `/api/approvals/${path}`);
        assert.equal(response.status, 403);
        assert.equal((await bodyOf<ProblemDocument>(response)).code, 'role-refused');
      }
    }
    const approver = await token('approver');
    const answered = await send(approver.token, 'POST', `/api/approvals/${approval.id}/approve`);
    assert.deepEqual((await bodyOf<Approval>(answered)).answer?.by, { id: `token:${approver.id}`, kind: 'human' });
    assert.equal((await call).outcome, 'completed');
  });

  it('refuses invalid edited arguments, and does not remember the approval of an edited call', async (test) => {
    const { request, post, box } = await startInbox(test);
    await box.policies.set([{ file: 'p.yaml', text: '- { id: all, ask: true }' }]);
    const { call, approval } = await request('echo', { arguments: { text: 'a' } });
    const approve = (body: object): Promise<Response> => post(`/api/approvals/${approval.id}/approve`, body);
    const edited = { text: 'b' };
    const refused = await approve({ arguments: { text: 2 } });
    assert.deepEqual([refused.status, (await bodyOf<ProblemDocument>(refused)).code], [422, 'edit-invalid']);
    const { answer } = await bodyOf<Approval>(approve({ arguments: edited, remember: 'tool' }));
    assert.match(answer?.notRemembered ?? '', /edited arguments/);
    assert.deepEqual(await box.approvals.rules(), []);
    assert.equal((await call).outcome, 'completed');
  });

  it('remembers an approval, lists its rule and revokes it', async (test) => {
    const { request, get, post, call: makeCall, server, signIn } = await startInbox(test);
    const { call, approval } = await request();
    assert.equal((await get(`/api/approvals/${approval.id}/remember?scope=tool`)).status, 422);
    await post(`/api/approvals/${approval.id}/approve`, { remember: 'arguments' });
    await call;
    assert.equal((await bodyOf(makeCall('burn', { waitSeconds: 0 }))).outcome, 'completed');
    const { items } = await bodyOf<{ items: RememberedRule[] }>(get('/api/approvals/rules'));
    assert.equal(items[0]?.scope, 'arguments');
    const revoked = await fetch(`${server.url}/api/approvals/rules/${items[0]?.id}`, {
      method: 'DELETE',
      headers: { ...(await signIn()), origin: server.url },
    });
    assert.deepEqual([revoked.status, await bodyOf(revoked)], [200, { items: [] }]);
    assert.equal((await makeCall('burn', { waitSeconds: 0 })).status, 202);
  });
});
