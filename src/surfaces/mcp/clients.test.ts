import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { firstClient, secondClient } from '../../../test/mcp-clients/clients.ts';
import { serving } from '../../../test/mcp-clients/serving.ts';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { fixtureLinks, transportOf } from '../../../test/mcp-servers/fixture-links.ts';
import { mcpServer } from '../../index.ts';

function textOf(result: { content?: unknown }): string {
  const [first] = result.content as { text: string }[];
  return first?.text ?? '';
}

for (const link of fixtureLinks) {
  describe(`an MCP server over ${link}`, () => {
    for (const era of ['legacy', 'modern'] as const) {
      test(`lists and runs its tools for a client of SDK 2 (${era})`, async (t) => {
        const server = mcpServer({ name: 'fixture', transport: await transportOf(t, link) });
        const { url } = await serving(t, { servers: [server] });
        await server.ready();
        const client = await secondClient(t, url, era);
        assert.equal(client.getProtocolEra(), era);
        const { tools } = await client.listTools();
        assert.ok(tools.some(({ name }) => name === 'mcp__fixture__echo'));
        const result = await client.callTool({ name: 'mcp__fixture__echo', arguments: { text: 'hello' } });
        assert.equal(textOf(result), 'hello');
        await assert.rejects(client.callTool({ name: 'mcp__fixture__fail', arguments: {} }), {
          code: -32_603,
          message: 'no such luck',
        });
      });

      test(`gets answers to its questions from the client that made the call (${era})`, async (t) => {
        const server = mcpServer({ name: 'fixture', transport: await transportOf(t, link) });
        const { url } = await serving(t, { servers: [server] });
        await server.ready();
        const questions: string[] = [];
        const client = await secondClient(t, url, era, (made) =>
          made.setRequestHandler('elicitation/create', ({ params }) => {
            questions.push(params.message);
            return { action: 'accept', content: { answer: 'wet' } };
          }),
        );
        const result = await client.callTool({ name: 'mcp__fixture__interview', arguments: { topic: 'rain' } });
        assert.equal(textOf(result), 'rain: wet');
        assert.deepEqual(questions, ['What about rain?']);
      });
    }
  });
}

/** The program of a server with 1200 prompts, 500 per page. Getting a prompt adds one. */
const promptServer = `
  let count = 1200;
  const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const answers = {
    initialize: () => ({ protocolVersion: '2025-11-25', capabilities: { prompts: { listChanged: true } }, serverInfo: { name: 'p', version: '1' } }),
    'prompts/list': ({ cursor = '0' }) => {
      const [start, end] = [Number(cursor), Math.min(count, Number(cursor) + 500)];
      const prompts = Array.from({ length: end - start }, (_, index) => ({ name: 'prompt_' + (start + index) }));
      return { prompts, ...(end < count ? { nextCursor: String(end) } : {}) };
    },
    'prompts/get': () => { count += 1; send({ method: 'notifications/prompts/list_changed' }); return { messages: [] }; },
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    send({ id, ...(answers[method] ? { result: answers[method](params) } : { error: { code: -32601, message: 'no' } }) });
  });`;

for (const era of ['legacy', 'modern'] as const) {
  describe(`a client of SDK 2 (${era})`, () => {
    test('lists prompts in pages and is notified of changed prompts', async (t) => {
      const transport = { type: 'stdio', command: process.execPath, args: ['-e', promptServer] } as const;
      const server = mcpServer({ name: 'many', transport });
      const { url } = await serving(t, { servers: [server] });
      await server.ready();
      const changed = Promise.withResolvers<void>();
      const client = await secondClient(t, url, era, (made) =>
        made.setNotificationHandler('notifications/prompts/list_changed', () => changed.resolve()),
      );
      if (era === 'modern') await client.listen({ promptsListChanged: true });
      const listAll = async (): Promise<string[]> => {
        const names: string[] = [];
        let pages = 0;
        for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
          const params: Record<string, string> = cursor === undefined ? {} : { cursor };
          const page = await client.request({ method: 'prompts/list', params });
          pages += 1;
          names.push(...page.prompts.map(({ name }) => name));
          cursor = page.nextCursor;
        }
        assert.equal(pages, 2);
        return names;
      };
      const before = await listAll();
      assert.deepEqual([before.length, before.at(-1)], [1200, 'mcp__many__prompt_1199']);
      await client.getPrompt({ name: 'mcp__many__prompt_7' });
      await changed.promise;
      assert.equal((await listAll()).at(-1), 'mcp__many__prompt_1200');
    });

    test('receives progress, and its cancellation reaches the server', async (t) => {
      const server = mcpServer({ name: 'fixture', transport: await transportOf(t, 'modern stdio') });
      const { url } = await serving(t, { servers: [server] });
      await server.ready();
      const client = await secondClient(t, url, era);
      const messages: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }): void => void messages.push(message);
      await client.callTool({ name: 'mcp__fixture__steps', arguments: { name: 'step', count: 3 } }, { onprogress });
      assert.deepEqual(messages, ['step', 'step', 'step']);
      const cancel = new AbortController();
      const call = client.callTool(
        { name: 'mcp__fixture__wait', arguments: { ms: 60_000 } },
        { signal: cancel.signal },
      );
      setTimeout(() => cancel.abort(), 100);
      await assert.rejects(call);
      await until(
        () => server.health().stderr.includes('the wait was cancelled'),
        'the server received the cancellation',
      );
    });

    test('reads and completes content, and is notified of changed resources and tools', async (t) => {
      const server = mcpServer({ name: 'fixture', transport: await transportOf(t, 'legacy stdio') });
      const { box, url } = await serving(t, { servers: [server] });
      await server.ready();
      const changed = Promise.withResolvers<unknown>();
      const updated = Promise.withResolvers<string>();
      const client = await secondClient(t, url, era, (made) => {
        made.setNotificationHandler('notifications/tools/list_changed', () => changed.resolve(undefined));
        made.setNotificationHandler('notifications/resources/updated', ({ params }) => updated.resolve(params.uri));
      });
      const { resources } = await client.listResources();
      assert.deepEqual(
        resources.map(({ uri }) => uri),
        ['note://one', 'note://two', 'note://three'],
      );
      const { contents } = await client.readResource({ uri: 'note://two' });
      assert.match(JSON.stringify(contents), /the text of note:\/\/two/);
      const { prompts } = await client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['mcp__fixture__greet'],
      );
      const { messages } = await client.getPrompt({ name: 'mcp__fixture__greet', arguments: { who: 'Ada' } });
      assert.match(JSON.stringify(messages), /Greet Ada\./);
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'mcp__fixture__greet' },
        argument: { name: 'who', value: 'a' },
      });
      assert.deepEqual(completion.values, ['ada', 'alan']);
      if (era === 'legacy') await client.subscribeResource({ uri: 'note://one' });
      else await client.listen({ toolsListChanged: true, resourceSubscriptions: ['note://one'] });
      assert.equal(await updated.promise, 'note://one');
      box.servers.disable('signalbox');
      await changed.promise;
      const { tools } = await client.listTools();
      assert.ok(tools.every(({ name }) => !name.startsWith('mcp__signalbox__')));
    });
  });
}

test('a client of SDK 1 lists and calls tools, and answers questions', async (t) => {
  const server = mcpServer({ name: 'fixture', transport: await transportOf(t, 'legacy stdio') });
  const { url } = await serving(t, { servers: [server] });
  await server.ready();
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js');
  const client = await firstClient(t, url, (made) =>
    made.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { answer: 'wet' } })),
  );
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'mcp__fixture__echo'));
  const result = await client.callTool({ name: 'mcp__fixture__interview', arguments: { topic: 'rain' } });
  assert.equal(textOf(result as { content?: unknown }), 'rain: wet');
});
