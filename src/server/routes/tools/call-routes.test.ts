import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { ToolInvoked } from '../../../journal/entries/journal-event.ts';
import type { ResultPage } from '../../../journal/store/store.ts';

describe('POST /api/tools/{name}/call', () => {
  it('runs the tool through the pipeline and returns the complete result', async (test) => {
    const { call, box } = await startTestServer(test);
    const response = await call('echo', { arguments: { text: 'hello' }, sessionId: 'session-1' });
    const result = await bodyOf(response);
    assert.equal(response.status, 200);
    const { callId, durationMs, ...rest } = result;
    assert.ok(durationMs >= 0);
    assert.deepEqual(rest, {
      tool: 'mcp__test__echo',
      outcome: 'completed',
      content: [{ type: 'text', text: 'hello' }],
      decision: { answer: 'allow', rule: 'default:read', reason: 'reads are allowed' },
    });
    const entry = await box.journal.call(callId);
    assert.equal(entry?.sessionId, 'session-1');
    assert.deepEqual(entry?.arguments, { text: 'hello' });
  });

  it('returns 200 for every outcome, and records each call', async (test) => {
    const { call, box } = await startTestServer(test);
    const outcomes: (string | undefined)[][] = [];
    for (const [tool, args] of [
      ['none', {}],
      ['echo', { text: 7 }],
      ['echo', ['not', 'an', 'object']],
      ['break', {}],
    ] as const) {
      const response = await call(tool, { arguments: args });
      assert.equal(response.status, 200);
      const { outcome, error } = await bodyOf(response);
      outcomes.push([outcome, error?.code]);
    }
    assert.deepEqual(outcomes, [
      ['denied', 'tool-unknown'],
      ['failed', 'arguments-invalid'],
      ['failed', 'arguments-invalid'],
      ['failed', 'tool-failed'],
    ]);
    assert.equal((await box.journal.calls()).items.length, outcomes.length);
  });

  it('returns 202 while an approval is pending, and runs the same call after the approval', async (test) => {
    const { call, box } = await startTestServer(test);
    const response = await call('burn', { waitSeconds: 0 });
    assert.equal(response.status, 202);
    const { outcome, approvalId } = await bodyOf<{ outcome: string; approvalId: string }>(response);
    assert.equal(outcome, 'awaiting-approval');
    await box.approvals.approve(approvalId, { by: { id: 'alice', kind: 'human' } });
    const second = await call('burn');
    assert.deepEqual([second.status, (await bodyOf(second)).outcome], [200, 'completed']);
  });

  it('runs calls with the same idempotency key once', async (test) => {
    const { call } = await startTestServer(test);
    const body = { arguments: { text: 'once' }, idempotencyKey: 'key-1' };
    const [first, second] = [await bodyOf(call('echo', body)), await bodyOf(call('echo', body))];
    assert.deepEqual(second.content, first.content);
    const conflict = await bodyOf(call('echo', { ...body, arguments: { text: 'other' } }));
    assert.equal(conflict.error?.code, 'idempotency-conflict');
  });

  it('returns `stale` when the definition has changed', async (test) => {
    const { call } = await startTestServer(test);
    assert.equal((await bodyOf(call('echo', { arguments: { text: 'a' }, definitionHash: 'other' }))).outcome, 'stale');
  });

  it('cancels the call when the caller disconnects', async (test) => {
    const { call, get, box } = await startTestServer(test, { limits: { graceMs: 200 } });
    const caller = new AbortController();
    const ended = new Promise<ToolInvoked>((resolve) => box.on('ToolInvoked', resolve));
    const request = assert.rejects(call('wait', { arguments: { ms: 3_600_000 } }, { signal: caller.signal }));
    const isRunning = async (): Promise<boolean> =>
      /^signalbox_calls_in_flight 1$/m.test(await (await get('/metrics')).text());
    await until(isRunning, 'the call runs');
    caller.abort();
    await request;
    const { outcome, error } = await ended;
    assert.equal(outcome, 'cancelled');
    assert.equal(error?.code, 'caller-cancelled');
  });

  it('decodes any tool name', async (test) => {
    const { call } = await startTestServer(test);
    const { tool, outcome } = await bodyOf(call(encodeURIComponent('a/b ö%')));
    assert.deepEqual({ tool, outcome }, { tool: 'mcp__test__a/b ö%', outcome: 'denied' });
  });
});

describe('GET /api/results/{id}', () => {
  it('pages through a large result', async (test) => {
    const { call, get } = await startTestServer(test);
    const { callId, content } = await bodyOf(call('long'));
    assert.ok(content.some((block) => block.type === 'resource_link' && block.uri.endsWith(callId)));
    let read = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page: ResultPage = await bodyOf<ResultPage>(get(`/api/results/${callId}?offset=${offset}&limit=3000`));
      assert.equal(page.total, 10_000);
      read += page.text;
      offset = page.next;
    }
    assert.equal(read, 'x'.repeat(10_000));
  });
});
