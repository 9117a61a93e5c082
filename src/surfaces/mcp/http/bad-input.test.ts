import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { begin, envelope, messageOf, send, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { serving } from '../../../../test/mcp-clients/serving.ts';

const modernHeaders = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' };

describe('invalid messages over HTTP', () => {
  test('are refused with their status and error code, and the next request is served', async (t) => {
    const { url, logged } = await serving(t, {});
    const session = await begin(url);
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const cases: [string | Buffer, number, number][] = [
      ['', 400, -32_700],
      ['{', 400, -32_700],
      ['{"jsonrpc":"2.0","id":1,"method":"ping"} x', 400, -32_700],
      ['[]', 400, -32_600],
      ['null', 400, -32_600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32_600],
      ['{"jsonrpc":"2.0","id":1}', 400, -32_600],
      [deep, 400, -32_600],
      ['{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{}}', 200, -32_601],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32_602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', 200, -32_602],
      ['{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"none://x"}}', 200, -32_002],
      ['{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"none"}}', 200, -32_602],
      ['{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}', 200, -32_602],
    ];
    for (const [body, status, code] of cases) {
      const response = await send(url, body, session);
      const shown = String(body).slice(0, 80);
      assert.equal(response.status, status, shown);
      assert.equal((await messageOf(response)).error?.code, code, shown);
    }
    assert.equal((await send(url, Buffer.from([0x7b, 0xff, 0xfe]), session)).status, 400);
    assert.equal((await send(url, '{}', { ...session, 'Content-Type': 'text/plain' })).status, 415);
    assert.equal((await send(url, ping, { ...session, Accept: 'text/html' })).status, 406);
    assert.equal((await send(url, 'x'.repeat(9 * 1024 * 1024), session)).status, 413);
    assert.equal((await send(url, ping, session)).status, 200);
    assert.deepEqual(logged, []);
  });

  test('random input never causes an internal error', async (t) => {
    const { url, logged } = await serving(t, {});
    const session = await begin(url);
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1', 2),
        id: fc.jsonValue(),
        method: fc.oneof(fc.string(), fc.jsonValue()),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    const property = fc.asyncProperty(
      fc.oneof(
        message.map((value) => JSON.stringify(value)),
        fc.json(),
        fc.string(),
      ),
      fc.boolean(),
      async (body, isModern) => {
        const response = await send(url, body, isModern ? modernHeaders : session);
        await response.text();
        assert.ok(response.status < 500, `${response.status} for ${body}`);
      },
    );
    await fc.assert(property, { seed: 5, numRuns: 400 });
    assert.deepEqual(logged, []);
  });
});

describe('headers that contradict the body', () => {
  test('are refused', async (t) => {
    const { url } = await serving(t, {});
    const name = 'mcp__signalbox__ping';
    const params = { name, arguments: {} };
    for (const headers of [
      { 'Mcp-Method': 'tools/list' },
      { 'Mcp-Name': 'mcp__signalbox__other' },
      { 'Mcp-Name': '=?base64?not base64?=' },
      { 'MCP-Protocol-Version': '2025-11-25' },
    ]) {
      const response = await sendModern(url, 'tools/call', params, { headers });
      assert.equal(response.status, 400, JSON.stringify(headers));
      assert.equal((await messageOf(response)).error?.code, -32_020);
    }
    const encoded = `=?base64?${Buffer.from(name).toString('base64')}?=`;
    assert.equal((await sendModern(url, 'tools/call', params, { headers: { 'Mcp-Name': encoded } })).status, 200);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope() } });
    assert.equal((await send(url, body)).status, 400, 'missing headers');
  });
});

describe('authorization of MCP requests', () => {
  test('requires a token whose role may call tools, and refuses pages of other origins', async (t) => {
    const { box, url } = await serving(t, {});
    const by = { id: 'user:test', kind: 'human' } as const;
    const ping = { name: 'mcp__signalbox__ping', arguments: {} };
    const statusWith = async (authorization: string): Promise<number> =>
      (await sendModern(url, 'tools/call', ping, { headers: { Authorization: authorization } })).status;
    assert.equal(await statusWith(''), 401);
    assert.equal(await statusWith('Bearer wrong'), 401);
    for (const role of ['viewer', 'approver'] as const)
      assert.equal(await statusWith(`Bearer ${(await box.tokens.create({ role, by })).token}`), 403);
    const agent = await box.tokens.create({ role: 'agent', by });
    assert.equal(await statusWith(`Bearer ${agent.token}`), 200);
    assert.equal(
      (await fetch(new URL('/mcp/none', url), { headers: { Authorization: `Bearer ${agent.token}` } })).status,
      404,
    );
    const evil = await sendModern(url, 'tools/call', ping, { headers: { Origin: 'https://evil.example' } });
    assert.equal(evil.status, 403);
  });
});
