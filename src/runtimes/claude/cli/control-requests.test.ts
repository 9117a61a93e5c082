import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testTurn } from '../../../../test/support/runtime/run-turn.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { ClaudeTurn } from '../shared/claude-turn.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import { HookCallbacks, answerControlRequest } from './control-requests.ts';

const { signal } = new AbortController();

/** Returns the function that serves a control request in a new turn. */
async function createTurn(): Promise<(request: JsonObject) => Promise<JsonObject>> {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  const turn = new ClaudeTurn(testTurn({ box, own }, 'hello'), {}, signal, () => undefined);
  const hooks = new HookCallbacks(turn, undefined);
  return (request) => answerControlRequest(request, turn, hooks, signal);
}
const ping = { jsonrpc: '2.0', id: 4, method: 'tools/call', params: { name: 'ping', arguments: {} } };

describe('answerControlRequest', () => {
  test('answers a server message under both names of the request', async () => {
    const serve = await createTurn();
    for (const request of [
      { subtype: 'mcp_message', server_name: 'signalbox', message: ping },
      { subtype: 'sdk_mcp_request', serverName: 'signalbox', message: ping },
    ])
      assert.match(JSON.stringify(await serve(request)), /"mcp_response":{"jsonrpc":"2.0","id":4,"result":.*pong/);
  });

  test('returns -32601 for an unknown server or method, and acknowledges a notification', async () => {
    const serve = await createTurn();
    const answer = async (server_name: string, message: JsonObject) =>
      (await serve({ subtype: 'mcp_message', server_name, message }))['mcp_response'] as JsonObject;
    assert.equal(((await answer('unknown', ping))['error'] as JsonObject)['code'], -32601);
    const unknown = await answer('signalbox', { jsonrpc: '2.0', id: 1, method: 'prompts/list' });
    assert.equal((unknown['error'] as JsonObject)['code'], -32601);
    const notified = await answer('signalbox', { jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.deepEqual(notified['result'], {});
  });

  test('rejects unknown requests, unknown hooks and permission requests without an id', async () => {
    const serve = await createTurn();
    await assert.rejects(serve({ subtype: 'request_user_dialog' }), /unknown control request "request_user_dialog"/);
    await assert.rejects(serve({}), /unknown control request/);
    await assert.rejects(
      serve({ subtype: 'hook_callback', callback_id: 'hook_99', input: {} }),
      /no hook .* "hook_99"/,
    );
    await assert.rejects(
      serve({ subtype: 'can_use_tool', tool_name: 'Bash', input: {} }),
      /needs tool_name and tool_use_id/,
    );
  });
});
