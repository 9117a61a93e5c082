import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SignInClient, signInAndConnect } from '../../../../test/mcp-clients/oauth-client.ts';
import { serving } from '../../../../test/mcp-clients/serving.ts';
import { httpFixture } from '../../../../test/mcp-servers/http-fixture.ts';
import { startAuthorizationServer } from '../../../../test/support/http/authorization-server.ts';
import { mcpServer } from '../../../index.ts';

describe('OAuth sign-in of a client that knows only the URL of the MCP endpoint', () => {
  for (const era of ['legacy', 'modern'] as const)
    for (const path of ['/mcp', '/mcp/coding'])
      it(`discovers the authorization server, signs in and calls a tool (${era}, ${path})`, async (t) => {
        const issuer = await startAuthorizationServer(t);
        const fixture = await httpFixture(era);
        t.after(() => fixture.close());
        const server = mcpServer({ name: 'fixture', transport: { type: 'http', url: fixture.url } });
        const settings = { issuers: [{ issuer: issuer.issuer }] };
        const { box, url } = await serving(
          t,
          { servers: [server], profiles: { coding: { servers: ['fixture'] } } },
          { oauth: () => settings },
        );
        await server.ready();
        const person = new SignInClient();
        const client = await signInAndConnect(t, new URL(path, url), era, person);
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === 'mcp__fixture__echo'));
        const { content } = await client.callTool({ name: 'mcp__fixture__echo', arguments: { text: 'hello' } });
        assert.equal((content as { text: string }[])[0]?.text, 'hello');

        const requested = person.redirectedTo?.searchParams;
        assert.equal(requested?.get('resource'), `${url.origin}${path}`);
        assert.equal(requested.get('scope'), path === '/mcp' ? 'signalbox:agent' : 'signalbox:profile:coding');
        const { items } = await box.journal.calls({ limit: 1 });
        assert.equal(items[0]?.principal.id, `oauth:${encodeURIComponent(issuer.issuer)}:alice`);
        const token = person.tokens()?.access_token ?? assert.fail();
        assert.ok(fixture.requests.length > 0);
        for (const headers of fixture.requests) {
          assert.equal(headers.get('authorization'), null, 'the token is not forwarded');
          assert.ok(!JSON.stringify([...headers]).includes(token));
        }
      });

  it('refreshes an expired token and continues the session', async (t) => {
    const issuer = await startAuthorizationServer(t);
    issuer.provider.behavior.accessToken = ({ resource, scope }) => {
      const isFirst = issuer.provider.count('refresh_token') === 0;
      const exp = Math.floor(Date.now() / 1000) - (isFirst ? 60 : -600);
      return issuer.token(resource, { claims: { scope, exp } });
    };
    const settings = { issuers: [{ issuer: issuer.issuer }] };
    const { url } = await serving(t, {}, { oauth: () => settings });
    const client = await signInAndConnect(t, url, 'legacy', new SignInClient());
    const { content } = await client.callTool({ name: 'mcp__signalbox__ping', arguments: {} });
    assert.match((content as { text: string }[])[0]?.text ?? '', /pong/);
    assert.equal(issuer.provider.count('refresh_token'), 1);
  });
});
