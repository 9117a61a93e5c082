import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contentReader } from '../../pipeline/box-content.ts';
import { createSignalbox, defineTool, localServer } from '../../index.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { serverContent } from '../server-content.ts';
import { callProviderTool } from '../providers/provider-tools.ts';
import { claudeToolListing } from './tool-listing.ts';
import { ClaudeToolServer, type RunServerCall } from './tool-server.ts';

async function createServer(run?: RunServerCall): Promise<ClaudeToolServer> {
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
  const listing = claudeToolListing(box.tools(), false);
  assert.equal(claudeToolListing(box.tools(), false), listing, 'listed once');
  const house = listing.servers.get('house');
  assert.ok(house !== undefined);
  const content = serverContent('house', contentReader(box, {}));
  const callBox: RunServerCall = ({ name, args, toolUseId, signal }) =>
    callProviderTool(box, listing, { id: toolUseId, name, input: args }, { signal });
  return new ClaudeToolServer('house', house, content, run ?? callBox);
}

async function ask(server: ClaudeToolServer, method: string, params: JsonObject = {}): Promise<TestResponse> {
  return (await server.answer({ jsonrpc: '2.0', id: 1, method, params })) as unknown as TestResponse;
}

/** A response has a result or an error; reading the missing one fails the test. */
interface TestResponse {
  readonly result: JsonObject;
  readonly error: JsonObject;
}

describe('ClaudeToolServer', () => {
  test('answers initialize with the requested revision, or else the newest supported one', async () => {
    const server = await createServer();
    const version = async (protocolVersion: string) =>
      (await ask(server, 'initialize', { protocolVersion })).result['protocolVersion'];
    assert.equal(await version('2025-06-18'), '2025-06-18');
    assert.equal(await version('2099-01-01'), '2025-11-25');
  });

  test('lists every tool as always loaded, with a read-only hint by effect, under a name that can be called', async () => {
    const server = await createServer(({ name }) => Promise.reject(new Error(name)));
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

  test('returns the content of a call, marked as an error unless it completed', async () => {
    const server = await createServer();
    const result = async (name: string) => (await ask(server, 'tools/call', { name, arguments: {} })).result;
    assert.deepEqual(await result('look'), { content: [{ type: 'text', text: '{"seen":1}' }] });
    const unknown = await result('nothing');
    assert.equal(unknown['isError'], true);
  });

  test('returns -32601 for an unknown method, -32602 for a call without a name and -32603 for an internal error; a notification has no response', async () => {
    const server = await createServer(() => Promise.reject(new Error('the box is closed')));
    const code = async (method: string, params?: JsonObject) => (await ask(server, method, params)).error['code'];
    assert.equal(await code('resources/list'), -32601);
    assert.equal(await code('tools/call'), -32602);
    assert.equal(await code('tools/call', { name: 'look' }), -32603);
    assert.equal(await server.answer({ jsonrpc: '2.0', method: 'notifications/initialized' }), undefined);
    assert.equal(await server.answer({}), undefined);
  });

  test('passes the tool use id of the model, and aborts a cancelled call', async () => {
    let id: string | undefined;
    const server = await createServer(async ({ name, toolUseId, signal }) => {
      id = toolUseId;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new Error(`${name} was cancelled`);
    });
    const call = ask(server, 'tools/call', { name: 'look', _meta: { 'claudecode/toolUseId': 'toolu_7' } });
    await server.answer({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    assert.match(JSON.stringify(await call), /was cancelled/);
    assert.equal(id, 'toolu_7');
  });
});
