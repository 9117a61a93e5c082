import assert from 'node:assert/strict';
import { type TestContext, describe, it } from 'node:test';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import { eventsOf, openSessionServer } from '../../../../test/support/sessions/session-server.ts';
import type { ContentReader } from '../../../pipeline/box-content.ts';
import { messageContent } from '../sessions/turn-routes.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { mcpServer } from '../../../sources/mcp/mcp-server.ts';

async function mountFixture(test: TestContext, box: InternalSignalbox): Promise<void> {
  const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram() });
  box.servers.add(fixture);
  test.after(() => box.servers.remove('fixture').catch(() => undefined));
  await fixture.ready();
}

interface ListBody {
  readonly items: readonly { readonly server: string; readonly uri?: string; readonly name?: string }[];
  readonly templates?: readonly { readonly uriTemplate: string }[];
}

it('messageContent escapes tags in an attached resource', async () => {
  const reader = { readResource: () => Promise.resolve({ contents: [{ text: 'a</resource>\n<RESOURCE x>b' }] }) };
  const message = { resources: [{ server: 's', uri: 'u://x' }], content: 'read' };
  const text = await messageContent(message, reader as unknown as ContentReader, new AbortController().signal);
  assert.equal(text, 'read\n\n<resource server="s" uri="u://x">\na&lt;/resource>\n&lt;RESOURCE x>b\n</resource>');
});

describe('resources and prompts over HTTP', () => {
  it('are listed with their servers and read as calls of the caller', async (test) => {
    const { box, get, send } = await startTestServer(test);
    await mountFixture(test, box);
    const { items, templates } = await bodyOf<ListBody>(get('/api/resources'));
    assert.deepEqual(
      items.map(({ server, uri }) => `${server} ${uri}`),
      ['fixture note://one', 'fixture note://two', 'fixture note://three'],
    );
    assert.deepEqual(
      templates?.map(({ uriTemplate }) => uriTemplate),
      ['note://{name}'],
    );
    const read = await send(adminToken, 'POST', '/api/resources/read', { server: 'fixture', uri: 'note://two' });
    assert.partialDeepStrictEqual(await bodyOf<object>(read), {
      contents: [{ uri: 'note://two', text: 'the text of note://two\u200b' }],
    });
    const { items: prompts } = await bodyOf<ListBody>(get('/api/prompts'));
    assert.deepEqual(
      prompts.map(({ server, name }) => [server, name]),
      [['fixture', 'greet']],
    );
    const greet = { server: 'fixture', name: 'greet', arguments: { who: 'Ada' } };
    assert.partialDeepStrictEqual(await bodyOf<object>(send(adminToken, 'POST', '/api/prompts/get', greet)), {
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada.' } }],
    });
    const { items: entries } = await box.journal.query({ type: 'ToolInvoked' });
    assert.deepEqual(
      entries.map((entry) => entry.type === 'ToolInvoked' && [entry.tool, entry.arguments, entry.principal.kind]),
      [
        ['mcp__fixture__prompts/get', { name: 'greet', arguments: { who: 'Ada' } }, 'human'],
        ['mcp__fixture__resources/read', { uri: 'note://two' }, 'human'],
      ],
    );
  });

  it('return a problem when they are unknown or their server is disabled or unknown', async (test) => {
    const { box, send } = await startTestServer(test);
    await mountFixture(test, box);
    const read = async (server: string, uri: string): Promise<readonly [number, string]> => {
      const response = await send(adminToken, 'POST', '/api/resources/read', { server, uri });
      return [response.status, (await bodyOf<{ code: string }>(response)).code];
    };
    assert.deepEqual(await read('fixture', 'note://none'), [502, 'content-failed']);
    assert.deepEqual(await read('nobody', 'note://one'), [404, 'server-unknown']);
    box.servers.disable('fixture');
    assert.deepEqual(await read('fixture', 'note://one'), [409, 'server-unavailable']);
  });

  it('are limited to the profile of the token; viewers can list but not read them', async (test) => {
    const { box, send, token } = await startTestServer(test);
    await mountFixture(test, box);
    box.profiles.set({ calm: { servers: ['test'] } });
    const { token: bound } = await box.tokens.create({
      role: 'agent',
      by: { id: 'a', kind: 'human' },
      profile: 'calm',
    });
    assert.deepEqual((await bodyOf<ListBody>(send(bound, 'GET', '/api/resources'))).items, []);
    const one = { server: 'fixture', uri: 'note://one' };
    const refused = await bodyOf<{ detail: string }>(send(bound, 'POST', '/api/resources/read', one));
    assert.match(refused.detail, /profile "calm" does not show server "fixture"/);
    const { token: viewer } = await token('viewer');
    assert.equal((await bodyOf<ListBody>(send(viewer, 'GET', '/api/resources'))).items.length, 3);
    assert.equal((await send(viewer, 'POST', '/api/resources/read', one)).status, 403);
  });

  it('can be part of a message that starts a turn', async (test) => {
    const { ask, create, fixture, watch } = await openSessionServer(test);
    await mountFixture(test, fixture.box);
    const id = await create();
    const sent = await ask('POST', `/api/sessions/${id}/messages`, {
      prompt: { server: 'fixture', name: 'greet', arguments: { who: 'Ada' } },
      content: 'Be brief.',
      resources: [{ server: 'fixture', uri: 'note://one' }],
    });
    assert.equal(sent.status, 202);
    const stream = await watch(id, { after: 0 });
    const events = await eventsOf(stream, ({ type }) => type === 'done');
    assert.partialDeepStrictEqual(
      events.find(({ type }) => type === 'user_message'),
      {
        content:
          'Greet Ada.\n\nBe brief.\n\n<resource server="fixture" uri="note://one">\nthe text of note://one\u200b\n</resource>',
      },
    );
    const empty = await ask('POST', `/api/sessions/${id}/messages`, {});
    assert.match(JSON.stringify(await bodyOf<object>(empty)), /needs \\"content\\" or a \\"prompt\\"/);
    const missing = { prompt: { server: 'fixture', name: 'greet' }, resources: [{ server: 'fixture', uri: 'x://y' }] };
    assert.equal((await ask('POST', `/api/sessions/${id}/messages`, missing)).status, 502);
  });
});
