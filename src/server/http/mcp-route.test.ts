import { openSignalbox } from '../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { adminToken, sendRawRequest, startTestServer } from '../../../test/support/http/http-server.ts';
import type { Role } from '../../core/principal.ts';

const alice = { id: 'alice', kind: 'human' } as const;
const profiles = { narrow: { tools: ['ping'] }, trusting: { trustsHuman: true } };

/** Starts a server with two profiles, and returns a function that sends MCP requests. */
async function startWithProfiles(test: TestContext) {
  const box = await openSignalbox({ profiles });
  const started = await startTestServer(test, { box });
  const token = async (role: Role, profile?: string): Promise<string> =>
    (await box.tokens.create({ role, by: alice, ...(profile === undefined ? {} : { profile }) })).token;
  const list = async (path: string, headers: Record<string, string>): Promise<number> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await fetch(started.server.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/list',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
    });
    await response.text();
    return response.status;
  };
  const as = (bearer: string, path = '/mcp') => list(path, { authorization: `Bearer ${bearer}` });
  return { ...started, newToken: token, list, as };
}

describe('MCP route', () => {
  it('accepts tokens of agents and admins, and no cookie', async (test) => {
    const { as, list, newToken, signIn, server } = await startWithProfiles(test);
    assert.deepEqual([await as(adminToken), await as(await newToken('agent'))], [200, 200]);
    assert.deepEqual([await as(await newToken('viewer')), await as(await newToken('approver'))], [403, 403]);
    assert.equal(await as('sbx_wrong'), 401);
    assert.equal(await list('/mcp', {}), 401);
    const origin = server.url;
    assert.equal(await list('/mcp', { ...(await signIn()), origin, 'sec-fetch-site': 'same-origin' }), 401);
    const authorization = `Bearer ${adminToken}`;
    assert.equal(await list('/mcp', { authorization, origin: 'http://evil.example' }), 403);
    const rebound = await sendRawRequest(server, '/mcp', { headers: { authorization, host: 'evil.example' } });
    assert.equal(rebound.status, 421);
  });

  it('serves only the profile that a token is bound to', async (test) => {
    const { as, newToken } = await startWithProfiles(test);
    const bound = await newToken('agent', 'narrow');
    assert.deepEqual(
      [await as(bound), await as(bound, '/mcp/narrow'), await as(bound, '/mcp/trusting'), await as(bound, '/mcp/none')],
      [200, 200, 404, 404],
    );
    assert.equal(await as(await newToken('agent', 'gone')), 404);
    assert.equal(await as(await newToken('agent'), '/mcp/narrow'), 200);
  });

  it('refuses an unbound agent token at a profile whose clients answer as a human', async (test) => {
    const { as, newToken } = await startWithProfiles(test);
    assert.equal(await as(await newToken('agent'), '/mcp/trusting'), 403);
    assert.equal(await as(await newToken('agent', 'trusting')), 200);
    assert.equal(await as(adminToken, '/mcp/trusting'), 200);
  });
});
