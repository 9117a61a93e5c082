import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstClient, secondClient } from '../../../../test/mcp-clients/clients.ts';
import { serving, token } from '../../../../test/mcp-clients/serving.ts';
import { bodyOf } from '../../../../test/support/http/http-server.ts';

interface Clients {
  readonly items: readonly Record<string, unknown>[];
  readonly connect: {
    readonly url: string;
    readonly tokenFile?: string;
    readonly commands: readonly { command: string }[];
  };
}

describe('GET /api/clients', () => {
  it('lists every connected MCP client with name, version, profile and last call', async (t) => {
    const { url } = await serving(t, { profiles: { narrow: {} } });
    const read = (): Promise<Clients> =>
      bodyOf<Clients>(fetch(new URL('/api/clients', url), { headers: { authorization: `Bearer ${token}` } }));
    assert.deepEqual((await read()).items, []);
    await firstClient(t, url);
    assert.deepEqual(
      (await read()).items.map(({ name, version, protocolVersion }) => [name, version, protocolVersion]),
      [['first', '1.0.0', '2025-11-25']],
    );
    const modern = await secondClient(t, new URL('/mcp/narrow', url), 'modern');
    const [connected] = (await read()).items;
    assert.deepEqual(
      [connected?.['name'], connected?.['protocolVersion'], connected?.['profile'], connected?.['lastCall']],
      ['second-modern', '2026-07-28', 'narrow', undefined],
    );
    await modern.callTool({ name: 'mcp__signalbox__ping', arguments: {} });
    const [called] = (await read()).items;
    assert.equal(called?.['principal'], 'token:admin');
    assert.equal(called?.['sessionId'], connected?.['sessionId']);
    const last = called?.['lastCall'] as Record<string, unknown>;
    assert.deepEqual([last['tool'], last['outcome']], ['mcp__signalbox__ping', 'completed']);
  });

  it('returns commands that connect a client, without the token', async (t) => {
    const { url } = await serving(t, {}, { agentTokenFile: "~/it's here/agent-token" });
    const headers = { authorization: `Bearer ${token}` };
    const { connect } = await bodyOf<Clients>(fetch(new URL('/api/clients', url), { headers }));
    assert.equal(connect.url, url.href);
    assert.ok(connect.commands.length > 2);
    for (const { command } of connect.commands) {
      assert.ok(
        command.includes(url.href) && command.includes(String.raw`$(cat ~/'it'\''s here/agent-token')`),
        command,
      );
      assert.ok(!command.includes(token));
    }
  });
});
