import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begin, messageOf, send, sendModern } from '../../../test/mcp-clients/raw.ts';
import { serving } from '../../../test/mcp-clients/serving.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { adminToken, sendRawRequest, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import { defineTool, localServer } from '../../index.ts';
import { Admission, type ShedReason } from './admission.ts';
import { Problem, type ProblemDocument } from '../problems/problem.ts';

describe('Admission', () => {
  it('limits the calls in total, the calls of one principal and their bytes, and admits the next call when one ends', () => {
    const shed: ShedReason[] = [];
    const admission = new Admission({ calls: 3, callsOfOne: 2, bytes: 100 }, (reason) => shed.push(reason));
    const statusOf = (principal: string, bytes = 1): number => {
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
    assert.equal(statusOf('a'), 429, 'calls of one principal');
    assert.equal(statusOf('b', 99), 503, 'bytes');
    assert.equal(statusOf('b', 98), 0);
    const other = admission.enter('b', 1);
    assert.equal(statusOf('c'), 503, 'calls in total');
    leave();
    assert.equal(statusOf('c'), 0);
    assert.equal(statusOf('a'), 0);
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
  it('refuses API calls before reading their body, with 429 for one principal and 503 in total, and counts them', async (test) => {
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
    await until(async () => (await inFlight(get)) === 1, 'the call runs');
    // The body is never sent, so a response proves that the server did not wait for it.
    const path = '/api/tools/mcp__test__echo/call';
    const headers = {
      host: `127.0.0.1:${server.port}`,
      authorization: `Bearer ${adminToken}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    };
    const refused = await sendRawRequest(server, path, { method: 'POST', headers, body: ['{'] });
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '1');
    assert.equal((JSON.parse(refused.body) as ProblemDocument).code, 'calls-exhausted');
    const [one, two] = await Promise.all([token('agent'), token('agent')]);
    const other = sendAs(one.token, 'POST', '/api/tools/mcp__test__wait/call', { arguments: { ms: 60_000 } });
    other.catch(() => undefined);
    await until(async () => (await inFlight(get)) === 2, 'both calls run');
    const last = await sendAs(two.token, 'POST', path, { arguments: { text: 'x' } });
    assert.equal(last.status, 503);
    assert.equal(last.headers.get('retry-after'), '1');
    assert.equal((await bodyOf<ProblemDocument>(last)).code, 'overloaded');
    const { items } = await box.journal.calls();
    assert.deepEqual(
      new Set(items.map(({ tool }) => tool)),
      new Set(['mcp__test__wait']),
      'refused calls are not recorded',
    );
    const metrics = await (await get('/metrics')).text();
    assert.match(metrics, /signalbox_calls_shed_total\{reason="principal"\} 1/);
    assert.match(metrics, /signalbox_calls_shed_total\{reason="server"\} 1/);
  });

  it('refuses MCP calls with a JSON-RPC error, but still accepts answers of clients in a session', async (test) => {
    const started = Promise.withResolvers<void>();
    const ask_caller = defineTool({
      name: 'ask_caller',
      description: 'Asks its caller.',
      input: { type: 'object' },
      effect: 'read',
      run: async (_args, { client }) => {
        started.resolve();
        const answer = await client?.elicit?.({
          mode: 'form',
          message: 'yes?',
          requestedSchema: { type: 'object', properties: {} },
        });
        return `the client chose ${answer?.action}`;
      },
    });
    const { url } = await serving(
      test,
      { servers: [localServer({ name: 'fixture', tools: [ask_caller] })] },
      { limits: { calls: 1, callsOfOne: 1, graceMs: 200 } },
    );
    const session = await begin(url, { elicitation: { form: {} } });
    const params = { name: 'mcp__fixture__ask_caller', arguments: {} };
    const asked = await send(url, JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'tools/call', params }), session);
    await started.promise;
    const modern = await sendModern(url, 'tools/call', params);
    assert.equal(modern.status, 429);
    assert.equal(modern.headers.get('retry-after'), '1');
    const { id, error } = await messageOf(modern);
    assert.deepEqual([id, error?.code, error?.data], [null, -32_000, { code: 'calls-exhausted' }]);
    const ping = await send(url, '{"jsonrpc":"2.0","id":6,"method":"ping"}', session);
    assert.equal(ping.status, 429);
    assert.equal((await messageOf(ping)).id, 6);
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
    assert.match(text, /the client chose accept/);
  });
});

async function inFlight(get: (path: string) => Promise<Response>): Promise<number> {
  const text = await (await get('/metrics')).text();
  return Number(/signalbox_calls_in_flight (\d+)/.exec(text)?.[1]);
}
