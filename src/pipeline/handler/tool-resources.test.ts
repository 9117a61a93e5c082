import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { fixtureProgram } from '../../../test/mcp-servers/programs.ts';
import {
  type CallOptions,
  type Signalbox,
  type ToolResources,
  createSignalbox,
  defineTool,
  localServer,
  mcpServer,
} from '../../index.ts';

/** The resources in the context of the last call of the tool `look`. */
interface Seen {
  resources?: ToolResources | undefined;
}

/** Creates a box with the fixture and a tool that lists its resources and reads the second. */
async function boxWithFixture(t: TestContext): Promise<{ box: Signalbox; seen: Seen }> {
  const seen: Seen = {};
  const look = defineTool({
    name: 'look',
    description: 'Lists resources.',
    effect: 'read',
    async run(_args, { resources }) {
      seen.resources = resources;
      const listed = resources?.list().map(({ server, uri }) => `${server} ${uri}`);
      const templates = resources?.templates().map(({ uriTemplate }) => uriTemplate);
      return { listed, templates, read: await resources?.read('fixture', 'note://two') };
    },
  });
  const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram('legacy') });
  await fixture.ready();
  const box = await createSignalbox({
    servers: [fixture, localServer({ name: 'own', tools: [look] })],
    profiles: { all: {}, own: { servers: ['own'] } },
  });
  t.after(() => box.close());
  return { box, seen };
}

const look = (box: Signalbox, options: CallOptions = {}): ReturnType<Signalbox['call']> =>
  box.call('mcp__own__look', {}, options);

describe('resources in the context of a handler', () => {
  test('are listed and read on behalf of the caller, and reads are recorded', async (t) => {
    const { box } = await boxWithFixture(t);
    const principal = { id: 'ada', kind: 'agent' } as const;
    const { outcome, structuredContent } = await look(box, { principal, session: 's1', profile: 'all' });
    assert.equal(outcome, 'completed');
    assert.deepEqual(structuredContent, {
      listed: ['fixture note://one', 'fixture note://two', 'fixture note://three'],
      templates: ['note://{name}'],
      read: { contents: [{ uri: 'note://two', mimeType: 'text/plain', text: 'the text of note://two\u200b' }] },
    });
    const { items } = await box.journal.query({ type: 'ToolInvoked', tool: 'mcp__fixture__resources/read' });
    const [read] = items;
    assert.ok(read?.type === 'ToolInvoked');
    assert.deepEqual(
      [items.length, read.arguments, read.principal, read.sessionId],
      [1, { uri: 'note://two' }, principal, 's1'],
    );
  });

  test('are limited to the caller’s profile, whatever server and URI a handler names', async (t) => {
    const { box, seen } = await boxWithFixture(t);
    const { outcome, error } = await look(box, { profile: 'own' });
    assert.deepEqual([outcome, error?.code], ['failed', 'tool-failed']);
    assert.match(error?.message ?? '', /profile "own" does not show server "fixture"/);
    assert.deepEqual([seen.resources?.list(), seen.resources?.templates()], [[], []]);
  });

  test('cannot be read after the call has ended', async (t) => {
    const { box, seen } = await boxWithFixture(t);
    await look(box);
    await assert.rejects(async () => await seen.resources?.read('fixture', 'note://one'), /the call has ended/);
  });

  test('are not read any further when the call ends', async (t) => {
    const stopping = new AbortController();
    const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram('modern') });
    await fixture.ready();
    const ended = Promise.withResolvers<unknown>();
    const slow = defineTool({
      name: 'slow',
      description: 'Reads slowly.',
      effect: 'read',
      async run(_args, { resources }) {
        const reading = resources?.read('fixture', 'note://slow');
        reading?.catch(ended.resolve);
        stopping.abort();
        await reading;
      },
    });
    const box = await createSignalbox({ servers: [fixture, localServer({ name: 'own', tools: [slow] })] });
    t.after(() => box.close());
    const { outcome } = await box.call('mcp__own__slow', {}, { signal: stopping.signal });
    assert.equal(outcome, 'cancelled');
    assert.match(String(await ended.promise), /was cancelled/);
  });
});
