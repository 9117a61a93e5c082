import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { z } from '@hono/zod-openapi';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { OutcomeUnknownError } from '../../../core/tools/source-errors.ts';
import { defineTool, localServer } from '../../../index.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import type { ProblemDocument } from '../../problems/problem.ts';
import { adminToken, bodyOf, startTestServer, type TestServer } from '../../../../test/support/http/http-server.ts';
import type { JournalEvent, ToolInvoked } from '../../../journal/entries/journal-event.ts';
import type { callDetailsSchema } from '../../schemas/journal-schemas.ts';
import type { Page } from '../../../journal/queries/journal-reader.ts';

type Details = z.output<typeof callDetailsSchema> & ToolInvoked & { readonly undo: { readonly reason?: string } };

describe('GET /api/calls and /api/journal', () => {
  it('filter by session, tool, server, outcome, decision, principal, text, type and time', async (test) => {
    const server = await startTestServer(test);
    const before = Date.now();
    await server.call('echo', { arguments: { text: 'a' }, sessionId: 'one' });
    await server.call('echo', { arguments: { text: 7 }, sessionId: 'two' });
    await server.call('break', { sessionId: 'two' });
    assert.equal((await list(server, '/api/calls')).items.length, 3);
    assert.equal((await list(server, '/api/calls?session=two')).items.length, 2);
    assert.equal((await list(server, '/api/calls?tool=mcp__test__echo')).items.length, 2);
    assert.equal((await list(server, '/api/calls?outcome=completed')).items.length, 1);
    assert.equal((await list(server, '/api/calls?server=test')).items.length, 3);
    assert.equal((await list(server, '/api/calls?server=other')).items.length, 0);
    assert.equal((await list(server, '/api/calls?decision=allow')).items.length, 2);
    assert.equal((await list(server, '/api/calls?decision=deny')).items.length, 0);
    const { items: calls } = (await list(server, '/api/calls')) as Page<ToolInvoked>;
    const id = calls[0]?.principal.id ?? '';
    assert.equal((await list(server, `/api/calls?principal=${id}`)).items.length, 3);
    assert.equal((await list(server, `/api/calls?principal=${id}x`)).items.length, 0);
    assert.equal((await list(server, '/api/calls?text=BROKEN')).items.length, 1);
    assert.equal((await list(server, '/api/calls?text=broken&session=one')).items.length, 0);
    assert.equal((await list(server, '/api/journal?type=ToolInvoked')).items.length, 3);
    server.box.servers.disable('test');
    assert.equal((await list(server, '/api/journal?type=ServerChanged')).items.length, 1);
    assert.equal((await list(server, '/api/journal?type=ApprovalRequested')).items.length, 0);
    assert.equal((await list(server, `/api/calls?since=${before}`)).items.length, 3);
    assert.equal(
      (await list(server, `/api/calls?since=${new Date(before).toISOString()}&until=2999-01-01`)).items.length,
      3,
    );
    assert.equal((await list(server, '/api/calls?until=2000-01-01T00:00:00Z')).items.length, 0);
  });

  it('page backwards with `before` and forwards with `after`', async (test) => {
    const server = await startTestServer(test);
    for (let time = 0; time < 5; time++) await server.call('echo', { arguments: { text: String(time) } });
    const all = (await list(server, '/api/journal')).items.map(({ seq }) => seq);
    const backwards = await follow(server, '/api/journal?limit=3', 'before');
    assert.deepEqual(backwards, all);
    const forwards = await follow(server, '/api/journal?limit=3&after=0', 'after');
    assert.deepEqual(forwards, all.toReversed());
  });

  it('return the latest entry of a call with its hash', async (test) => {
    const { call, get, box } = await startTestServer(test);
    const { callId } = await bodyOf(call('echo', { arguments: { text: 'a' } }));
    const entry = await bodyOf<JournalEvent>(get(`/api/calls/${callId}`));
    assert.equal(entry.type, 'ToolInvoked');
    assert.partialDeepStrictEqual(entry, JSON.parse(JSON.stringify(await box.journal.call(callId))));
    assert.match(entry.hash, /^[0-9a-f]{64}$/);
  });

  it('return the details of a call: complete result, approval, undo state and entries', async (test) => {
    const { call, get, box } = await startTestServer(test);
    const details = async (callId: string): Promise<Details> => bodyOf<Details>(get(`/api/calls/${callId}`));
    const long = await details((await bodyOf(call('long', { sessionId: 'one' }))).callId);
    assert.equal(long.keptCharacters, 10_000);
    assert.ok((long.result?.content.length ?? 0) > 1);
    assert.deepEqual(
      [long.undo.state, long.undo.reason],
      ['unavailable', `${long.callId} cannot be undone: the effect of mcp__test__long is "read"`],
    );
    const { callId } = await bodyOf(call('burn', { waitSeconds: 0 }));
    const waiting = await details(callId);
    assert.deepEqual([waiting.approval?.state, waiting.decision?.answer], ['pending', 'ask']);
    assert.deepEqual(
      waiting.history.map(({ type }) => type),
      ['ApprovalRequested', 'ToolInvoked'],
    );
    await box.approvals.approve(waiting.approval?.id ?? '', { by: { id: 'alice', kind: 'human' } });
    const approved = await details((await bodyOf(call('burn'))).callId);
    assert.deepEqual([approved.approval?.state, approved.approval?.answer?.by.id], ['used', 'alice']);
    assert.equal(approved.undo.state, 'unavailable');
    assert.equal(approved.waitedMs, undefined, 'the approval existed before the call');
  });

  it('return the time for which a call waited for a human', async (test) => {
    const { call, get, box } = await startTestServer(test);
    const result = bodyOf(call('burn'));
    let approval = '';
    const isPending = async (): Promise<boolean> => (approval = (await box.approvals.list())[0]?.id ?? '') !== '';
    await until(isPending, 'the call waits for approval');
    // Lets measurable time pass.
    await pause(20);
    await box.approvals.approve(approval, { by: { id: 'alice', kind: 'human' } });
    const { waitedMs = 0, durationMs } = await bodyOf<Details>(get(`/api/calls/${(await result).callId}`));
    assert.ok(waitedMs > 0 && waitedMs <= (durationMs ?? 0), `waited ${waitedMs} of ${durationMs} ms`);
  });

  it('log no error when the caller disconnects during the query', async (test) => {
    const { box, call, get, server, logged } = await startTestServer(test);
    for (let count = 0; count < 12; count += 1) await call('echo', { arguments: { text: 'a'.repeat(1_000_000) } });
    const disconnect = new AbortController();
    const { calls } = box.journal;
    const disconnectFirst = async (query: Parameters<typeof calls>[0] = {}): ReturnType<typeof calls> => {
      const { signal = assert.fail('the query has no signal') } = query;
      disconnect.abort();
      if (!signal.aborted) await once(signal, 'abort');
      return await calls.call(box.journal, query);
    };
    test.mock.method(box.journal, 'calls', disconnectFirst, { times: 1 });
    const authorization = `Bearer ${adminToken}`;
    const url = `${server.url}/api/calls?text=${'a'.repeat(199)}b`;
    await assert.rejects(fetch(url, { headers: { authorization }, signal: disconnect.signal }));
    assert.equal((await get('/api/calls?text=zzz')).status, 200);
    assert.deepEqual(logged, []);
  });

  it('refuse invalid and unknown parameters', async (test) => {
    const { get } = await startTestServer(test);
    for (const query of [
      'limit=x',
      'limit=1001',
      'outcome=fine',
      'since=yesterday',
      'before=-1',
      'toool=x',
      'limit=1&limit=2',
    ]) {
      assert.equal((await get(`/api/journal?${query}`)).status, 400, query);
    }
    assert.equal((await get('/api/calls?type=ToolInvoked')).status, 400);
  });
});

describe('POST /api/calls/{id}/settle', () => {
  it('records the outcome that an approver determined, once, and refuses agents', async (test) => {
    const unknown = defineTool({
      name: 'send',
      description: 'x',
      run: () => {
        throw new OutcomeUnknownError('the connection broke');
      },
    });
    const box = await openSignalbox({
      servers: [localServer({ name: 'test', tools: [unknown] })],
      approve: () => ({ allow: true }),
    });
    const { call, send, token } = await startTestServer(test, { box });
    const { callId } = await bodyOf(call('send'));
    const path = `/api/calls/${callId}/settle`;
    const body = { as: 'completed', note: 'it arrived' };
    const [agent, approver] = [await token('agent'), await token('approver')];
    assert.equal((await send(agent.token, 'POST', path, body)).status, 403);
    const { outcome, settled } = await bodyOf<ToolInvoked>(send(approver.token, 'POST', path, body));
    assert.equal(outcome, 'unknown');
    assert.deepEqual(
      [settled?.as, settled?.by, settled?.note],
      ['completed', { id: `token:${approver.id}`, kind: 'human' }, 'it arrived'],
    );
    const second = await send(approver.token, 'POST', path, body);
    assert.deepEqual([second.status, (await bodyOf<ProblemDocument>(second)).code], [409, 'call-settled']);
    assert.equal((await send(approver.token, 'POST', '/api/calls/none/settle', body)).status, 404);
  });
});

function list(server: TestServer, path: string): Promise<Page<JournalEvent>> {
  return bodyOf<Page<JournalEvent>>(server.get(path));
}

async function follow(server: TestServer, path: string, parameter: 'before' | 'after'): Promise<number[]> {
  const seqs: number[] = [];
  let page = await list(server, path);
  for (;;) {
    seqs.push(...page.items.map(({ seq }) => seq));
    if (page.next === undefined) return seqs;
    const url = new URL(path, server.server.url);
    url.searchParams.set(parameter, String(page.next));
    page = await list(server, url.pathname + url.search);
  }
}
