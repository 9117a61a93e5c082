import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentReader } from '../../pipeline/content-reader.ts';
import { createSignalbox, defineTool, localServer } from '../../index.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { serverContent } from '../server-content.ts';
import { toolListing } from './tool-listing.ts';
import { type MakeCall, ToolServer } from './tool-server.ts';

async function served(call?: MakeCall): Promise<ToolServer> {
  const long = 'a_tool_whose_name_is_far_longer_than_any_model_provider_would_ever_take';
  const box = await createSignalbox({
    servers: [
      localServer({
        name: 'house',
        tools: [
          defineTool({
            name: 'look',
            description: 'Looks.',
            input: { type: 'object' },
            effect: 'read',
            run: () => ({ seen: 1 }),
          }),
          defineTool({
            name: long,
            description: 'Long.',
            input: { type: 'object' },
            effect: 'undoable',
            run: () => 'x',
          }),
        ],
      }),
    ],
  });
  const listing = toolListing(box.tools(), true);
  assert.equal(toolListing(box.tools(), true), listing, 'listed once');
  const house = listing.servers.get('house');
  assert.ok(house !== undefined);
  const content = serverContent('house', contentReader(box, {}));
  return new ToolServer('house', house, call ?? ((tool, args, _, signal) => box.call(tool, args, { signal })), content);
}
async function ask(server: ToolServer, method: string, params: JsonObject = {}): Promise<Answered> {
  return (await server.answer({ jsonrpc: '2.0', id: 1, method, params })) as unknown as Answered;
}

/** An answer has one of the two; a test that looks at the other one fails. */
interface Answered {
  readonly result: JsonObject;
  readonly error: JsonObject;
}

test('it introduces itself in the revision it is spoken to, or in the newest it knows', async () => {
  const server = await served();
  const version = async (protocolVersion: string) =>
    (await ask(server, 'initialize', { protocolVersion })).result['protocolVersion'];
  assert.equal(await version('2025-06-18'), '2025-06-18');
  assert.equal(await version('2099-01-01'), '2025-11-25');
});

test('every tool is listed, to be loaded at once, as reading only where it is, under a name that leads back to it', async () => {
  const server = await served((tool) => Promise.reject(new Error(tool)));
  const { tools } = (await ask(server, 'tools/list')).result as unknown as {
    tools: { name: string; annotations: object; _meta: object }[];
  };
  assert.deepEqual(
    tools.map(({ name, annotations, _meta }) => [name.slice(0, 6), annotations, _meta]),
    [
      ['look', { readOnlyHint: true }, { 'anthropic/alwaysLoad': true }],
      ['a_tool', { readOnlyHint: false }, { 'anthropic/alwaysLoad': true }],
    ],
  );
  const called = await ask(server, 'tools/call', { name: tools[1]?.name ?? '', arguments: {} });
  assert.equal(called.error['message'], `mcp__house__${tools[1]?.name}`);
});

test('a call has the content of its outcome, and says when it did not complete', async () => {
  const server = await served();
  const result = async (name: string) => (await ask(server, 'tools/call', { name, arguments: {} })).result;
  assert.deepEqual(await result('look'), { content: [{ type: 'text', text: '{"seen":1}' }] });
  const unknown = await result('nothing');
  assert.equal(unknown['isError'], true);
});

test('an unknown method is -32601, a call without a name -32602, a fault of ours -32603, a notification nothing', async () => {
  const server = await served(() => Promise.reject(new Error('the box is closed')));
  const code = async (method: string, params?: JsonObject) => (await ask(server, method, params)).error['code'];
  assert.equal(await code('resources/list'), -32601);
  assert.equal(await code('tools/call'), -32602);
  assert.equal(await code('tools/call', { name: 'look' }), -32603);
  assert.equal(await server.answer({ jsonrpc: '2.0', method: 'notifications/initialized' }), undefined);
  assert.equal(await server.answer({}), undefined);
});

test('a call is known by the model’s id for it, and ends when it is cancelled', async () => {
  let id: string | undefined;
  const server = await served(async (tool, _args, toolCallId, signal) => {
    id = toolCallId;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new Error(`${tool} was cancelled`);
  });
  const call = ask(server, 'tools/call', { name: 'look', _meta: { 'claudecode/toolUseId': 'toolu_7' } });
  await server.answer({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  assert.match(JSON.stringify(await call), /was cancelled/);
  assert.equal(id, 'toolu_7');
});
