import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begin, messageOf, send, sendModern } from '../../../test/mcp-clients/raw.ts';
import { serving } from '../../../test/mcp-clients/serving.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { adminToken, bareRequest, bodyOf, startTestServer } from '../../../test/support/http-server.ts';
import { defineTool, localServer } from '../../index.ts';
import { Admission, type ShedReason } from './admission.ts';
import { Problem, type ProblemDocument } from '../problems/problem.ts';

describe('Admission', () => {
  it('limits all calls, the calls of one principal and their bytes, and admits the next call when one ends', () => {
    const shed: ShedReason[] = [];
    const admission = new Admission({ calls: 3, callsOfOne: 2, bytes: 100 }, (reason) => shed.push(reason));
    const refused = (principal: string, bytes = 1): number => {
      try {
        admission.enter(principal, bytes)();
        return 0;
      } catch (error) {
        assert.ok(error instanceof Problem && error.headers['Retry-After'] === '1');
        return error.status;
      }
    };
    const leave = admission.enter('a', 1);
    admission.enter('a', 1);
    assert.equal(refused('a'), 429, 'of one');
    assert.equal(refused('b', 99), 503, 'bytes');
    assert.equal(refused('b', 98), 0);
    const other = admission.enter('b', 1);
    assert.equal(refused('c'), 503, 'in all');
    leave();
    assert.equal(refused('c'), 0);
    assert.equal(refused('a'), 0);
    other();
    assert.deepEqual(shed, ['principal', 'memory', 'server']);
  });

  it('admits a single call of any size', () => {
    const admission = new Admission({ bytes: 10 });
    admission.enter('a', 1000)();
    assert.doesNotThrow(() => admission.enter('a', 1000));
  });
});

describe('load shedding', () => {
  it('refuses API calls before their body is read, with 429 for one principal and 503 for all, and counts them', async (test) => {
    const {
      call,
      get,
      server,
      box,
      send: sendAs,
      token,
    } = await startTestServer(test, {
      limits: { calls: 2, callsOfOne: 1, graceMs: 200 },
    });
    const slow = call('wait', { arguments: { ms: 60_000 } }, { signal: AbortSignal.timeout(20_000) });
    slow.catch(() => undefined);
    await until(async () => (await inFlight(get)) === 1, 'it runs');
    // The body is never sent, so a response proves that the server did not wait for it.
    const path = '/api/tools/mcp__test__echo/call';
    const headers = {
      host: `127.0.0.1:${server.port}`,
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    };
    const refused = await bareRequest(server, path, { method: 'POST', headers, body: ['{'] });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal((JSON.parse(refused.body) as ProblemDocument).code, 'calls-exhausted');
    const [one, two] = await Promise.all([token('agent'), token('agent')]);
    const other = sendAs(one.token, 'POST', '/api/tools/mcp__test__wait/call', { arguments: { ms: 60_000 } });
    other.catch(() => undefined);
    await until(async () => (await inFlight(get)) === 2, 'both run');
    const last = await sendAs(two.token, 'POST', path, { arguments: { text: 'x' } });
    assert.equal(last.status, 503);
    assert.equal(last.headers.get('retry-after'), '1');
    assert.equal((await bodyOf<ProblemDocument>(last)).code, 'overloaded');
    const { items } = await box.journal.calls();
    assert.deepEqual(
      new Set(items.map(({ tool }) => tool)),
      new Set(['mcp__test__wait']),
      'nothing was written for them',
    );
    const metrics = await (await get('/metrics')).text();
    assert.match(metrics, /signalbox_calls_shed_total\{reason="principal"\} 1/);
    assert.match(metrics, /signalbox_calls_shed_total\{reason="server"\} 1/);
  });

  it('refuses MCP calls with a JSON-RPC error, but still accepts answers of the session', async (test) => {
    const held = Promise.withResolvers<void>();
    const asks = defineTool({
      name: 'asks',
      description: 'Asks its caller.',
      input: { type: 'object' },
      effect: 'read',
      run: async (_args, { client }) => {
        held.resolve();
        const answer = await client?.elicit?.({
          mode: 'form',
          message: 'yes?',
          requestedSchema: { type: 'object', properties: {} },
        });
        return `they said ${answer?.action}`;
      },
    });
    const { url } = await serving(
      test,
      { servers: [localServer({ name: 'fixture', tools: [asks] })] },
      { limits: { calls: 1, callsOfOne: 1, graceMs: 200 } },
    );
    const session = await begin(url, { elicitation: { form: {} } });
    const params = { name: 'mcp__fixture__asks', arguments: {} };
    const asked = await send(url, JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }), session);
    await held.promise;
    const modern = await sendModern(url, 'tools/call', params);
    assert.equal(modern.status, 429);
    assert.equal(modern.headers.get('retry-after'), '1');
    const { id, error } = await messageOf(modern);
    assert.deepEqual([id, error?.code, error?.data], [null, -32_000, { code: 'calls-exhausted' }]);
    const again = await send(url, '{"jsonrpc":"2.0","id":6,"method":"ping"}', session);
    assert.equal(again.status, 429);
    assert.equal((await messageOf(again)).id, 6);
    const reader = (asked.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/elicitation\/create/.test(text)) text += (await reader.read()).value ?? '';
    const question = /"id":("?[\w-]+"?)/.exec(text)?.[1];
    const answer = `{"jsonrpc":"2.0","id":${question},"result":{"action":"accept","content":{}}}`;
    assert.equal((await send(url, answer, session)).status, 202);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += value;
    }
    assert.match(text, /they said accept/);
  });
});

async function inFlight(get: (path: string) => Promise<Response>): Promise<number> {
  const text = await (await get('/metrics')).text();
  return Number(/signalbox_calls_in_flight (\d+)/.exec(text)?.[1]);
}
