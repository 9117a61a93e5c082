import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boxed, until } from '../../../../test/mcp-servers/boxed.ts';
import { httpFixture } from '../../../../test/mcp-servers/http-fixture.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { fixtureLinks, transportOf } from '../../../../test/mcp-servers/fixture-links.ts';
import { lockOf } from '../../../catalog/lock/locked-server.ts';
import { lockSource } from '../../../catalog/lock/lock-source.ts';
import { configuredServer } from '../../../catalog/transforms/shaping/shape-source.ts';
import { createSignalbox, defineTool, localServer, mcpServer, transformServer } from '../../../index.ts';

for (const link of fixtureLinks) {
  describe(`resources and prompts (${link})`, () => {
    test('are listed page by page, read, filled in and completed', async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
      assert.deepEqual(
        box.resources.list().map(({ server, uri }) => `${server} ${uri}`),
        ['fixture note://one', 'fixture note://two', 'fixture note://three'],
      );
      assert.deepEqual(
        box.resources.templates().map(({ uriTemplate }) => uriTemplate),
        ['note://{name}'],
      );
      assert.deepEqual(
        box.prompts.list().map(({ server, name }) => [server, name]),
        [['fixture', 'greet']],
      );
      const read = await box.resources.read('fixture', 'note://two');
      assert.deepEqual(read['contents'], [
        { uri: 'note://two', mimeType: 'text/plain', text: 'the text of note://two\u200b' },
      ]);
      const prompt = await box.prompts.get('fixture', 'greet', { who: 'Ada' });
      assert.match(JSON.stringify(prompt['messages']), /Greet Ada\./);
      const ref = { type: 'ref/prompt', name: 'greet' } as const;
      const completed = await box.complete('fixture', { ref, argument: { name: 'who', value: 'a' } });
      assert.deepEqual((completed['completion'] as { values: string[] }).values, ['ada', 'alan']);
    });

    test('reject with the reason when they are unknown, time out, are cancelled or are disabled', async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
      const { box: limited } = await boxed(t, { transport: await transportOf(t, link), timeoutMs: 400 });
      const failing = { code: 'content-failed' };
      await assert.rejects(box.resources.read('fixture', 'note://none'), {
        ...failing,
        message: /there is no note:\/\/none/,
      });
      await assert.rejects(limited.resources.read('fixture', 'note://slow'), {
        ...failing,
        message: /timed out after/,
      });
      await assert.rejects(box.resources.read('fixture', 'note://slow', { signal: AbortSignal.timeout(100) }), {
        ...failing,
        message: /was cancelled/,
      });
      await assert.rejects(box.resources.read('nowhere', 'note://one'), { code: 'server-unknown' });
      box.servers.disable('fixture');
      await assert.rejects(box.resources.read('fixture', 'note://one'), { code: 'server-unavailable' });
      assert.deepEqual(box.resources.list(), []);
    });
  });
}

/** A server that sends a change notification together with its response to the subscription. */
const notifiesAtOnce = `
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { resources: { subscribe: true } }, serverInfo: { name: 'quick', version: '1' } }),
    'resources/list': () => ({ resources: [{ uri: 'note://one', name: 'one' }] }),
    'resources/subscribe': () => ({}),
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = answers[method] === undefined ? { error: { code: -32601, message: 'no' } } : { result: answers[method]() };
    const change = { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: params?.uri } };
    const also = method === 'resources/subscribe' ? JSON.stringify(change) + '\\n' : '';
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n' + also);
  });`;

test('a change that arrives together with the response to the subscription is reported', async (t) => {
  const args = ['-e', notifiesAtOnce];
  const { box } = await boxed(t, { transport: { type: 'stdio', command: process.execPath, args } });
  let changes = 0;
  await box.resources.subscribe('fixture', 'note://one', () => (changes += 1));
  await until(() => changes === 1, 'the change is reported');
});

for (const link of ['legacy stdio', 'legacy http'] as const) {
  test(`a subscription reports changes of a resource, also after a reconnection (${link})`, async (t) => {
    const { box, server } = await boxed(t, { transport: await transportOf(t, link) });
    let changes = 0;
    const stop = await box.resources.subscribe('fixture', 'note://one', () => (changes += 1));
    await until(() => changes === 1, 'the change is reported');
    await server.restart();
    await until(() => changes === 2, 'the next connection reports the change');
    await stop();
  });
}

test('a subscription reports changes of a resource in the 2026 revision', async (t) => {
  const fixture = await httpFixture('modern');
  t.after(() => fixture.close());
  const { box } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
  const changed: string[] = [];
  const stop = await box.resources.subscribe('fixture', 'note://one', () => changed.push('one'));
  await box.resources.subscribe('fixture', 'note://two', () => changed.push('two'));
  fixture.resourceUpdated('note://one');
  await until(() => changed.length === 1, 'the change is reported');
  await stop();
  fixture.resourceUpdated('note://one');
  fixture.resourceUpdated('note://two');
  await until(() => changed.length === 2, 'the change of the other is reported');
  assert.deepEqual(changed, ['one', 'two']);
});

for (const link of fixtureLinks)
  test(`changes of resources, templates and prompts update the lists, over all pages (${link})`, async (t) => {
    const [era, kind] = link.split(' ') as ['legacy' | 'modern', 'stdio' | 'http'];
    const fixture = kind === 'http' ? await httpFixture(era) : undefined;
    t.after(() => fixture?.close());
    const transport = fixture === undefined ? fixtureProgram(era) : ({ type: 'http', url: fixture.url } as const);
    const { box } = await boxed(t, { transport });
    for (const name of ['four', 'five']) await box.call('mcp__fixture__grow', { name });
    const hasAll = (): boolean => {
      // In the 2026 revision over HTTP, a client gets notifications only after it has subscribed.
      if (link === 'modern http') fixture?.contentChanged();
      return (
        box.resources.list().some(({ uri }) => uri === 'note://five') &&
        box.resources.templates().some(({ uriTemplate }) => uriTemplate === 'five://{name}') &&
        box.prompts.list().some(({ name }) => name === 'five')
      );
    };
    await until(hasAll, 'the new entries are listed');
    assert.deepEqual(
      box.prompts.list().map(({ name }) => name),
      ['greet', 'four', 'five'],
    );
    assert.deepEqual(
      box.resources.templates().map(({ name }) => name),
      ['note', 'four', 'five'],
    );
    assert.equal(box.resources.list().length, 5);
  });

test('a read is recorded as a call, with principal and arguments', async (t) => {
  const { box } = await boxed(t, { transport: fixtureProgram('legacy') });
  const principal = { id: 'ada', kind: 'agent' } as const;
  await box.resources.read('fixture', 'note://one', { principal, session: 's1' });
  await assert.rejects(box.prompts.get('fixture', 'greet', { who: 'Ada' }, { deadline: Date.now() - 1 }));
  const { items } = await box.journal.query({ type: 'ToolInvoked', order: 'oldest-first' });
  const [read, prompt] = items;
  assert.ok(read?.type === 'ToolInvoked' && prompt?.type === 'ToolInvoked');
  assert.deepEqual(
    [read.server, read.tool, read.arguments, read.principal, read.sessionId, read.outcome, read.decision?.rule],
    ['fixture', 'mcp__fixture__resources/read', { uri: 'note://one' }, principal, 's1', 'completed', 'default:read'],
  );
  assert.deepEqual(
    [prompt.tool, prompt.arguments, prompt.outcome],
    ['mcp__fixture__prompts/get', { name: 'greet', arguments: { who: 'Ada' } }, 'timed-out'],
  );
  assert.ok((await box.journal.verify()).ok);
});

test('lock, transforms and configuration pass resources on, with descriptions without hidden characters', async (t) => {
  const server = mcpServer({ name: 'fixture', transport: fixtureProgram('modern') });
  await server.ready();
  const locked = lockSource(server, lockOf([server]).servers.get('fixture'));
  const shaped = configuredServer(
    transformServer(locked, (tool) => tool),
    { origin: 'test', prefix: true },
  );
  const box = await createSignalbox({ servers: [shaped] });
  t.after(() => box.close());
  assert.equal(box.resources.list()[0]?.['description'], 'The note one.');
  const { contents } = (await box.resources.read('fixture', 'note://one')) as { contents: { text: string }[] };
  assert.equal(contents[0]?.text, 'the text of note://one\u200b', 'contents stay unchanged');
});

test('a local server has no resources and prompts, and an error says so', async (t) => {
  const tool = defineTool({ name: 'a', description: 'A.', effect: 'read', run: () => 'a' });
  const box = await createSignalbox({ servers: [localServer({ name: 'own', tools: [tool] })] });
  t.after(() => box.close());
  assert.deepEqual([box.resources.list(), box.resources.templates(), box.prompts.list()], [[], [], []]);
  await assert.rejects(box.resources.read('own', 'a://b'), /server "own" has tools only/);
});
