import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnOf } from '../../../../test/support/runtime/run-turn.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { ClaudeTurn } from '../shared/claude-turn.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import { HookCallbacks, answerControlRequest } from './control-requests.ts';

const { signal } = new AbortController();

async function asking(): Promise<(request: JsonObject) => Promise<JsonObject>> {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  const turn = new ClaudeTurn(turnOf({ box, own }, 'hello'), {}, signal, () => undefined);
  const hooks = new HookCallbacks(turn, undefined);
  return (request) => answerControlRequest(request, turn, hooks, signal);
}
const ping = { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'ping', arguments: {} } };

test('a message for a server is answered under its older name too', async () => {
  const ask = await asking();
  for (const request of [
    { subtype: 'mcp_message', server_name: 'signalbox', message: ping },
    { subtype: 'sdk_mcp_request', serverName: 'signalbox', message: ping },
  ])
    assert.match(JSON.stringify(await ask(request)), /"mcp_response":{"jsonrpc":"2.0","id":4,"result":.*pong/);
});

test('an unknown server and an unknown method are -32601, and a notification is acknowledged', async () => {
  const ask = await asking();
  const answer = async (server_name: string, message: JsonObject) =>
    (await ask({ subtype: 'mcp_message', server_name, message }))['mcp_response'] as JsonObject;
  assert.equal(((await answer('nobody', ping))['error'] as JsonObject)['code'], -32601);
  const unknown = await answer('signalbox', { jsonrpc: '2.0', id: 1, method: 'prompts/list' });
  assert.equal((unknown['error'] as JsonObject)['code'], -32601);
  const notified = await answer('signalbox', { jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.deepEqual(notified['result'], {});
});

test('what is not understood is refused: unknown questions, unknown hooks, permissions for nothing', async () => {
  const ask = await asking();
  await assert.rejects(ask({ subtype: 'request_user_dialog' }), /unknown control request "request_user_dialog"/);
  await assert.rejects(ask({}), /unknown control request/);
  await assert.rejects(ask({ subtype: 'hook_callback', callback_id: 'hook_99', input: {} }), /no hook .* "hook_99"/);
  await assert.rejects(
    ask({ subtype: 'can_use_tool', tool_name: 'Bash', input: {} }),
    /needs tool_name and tool_use_id/,
  );
});
