import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testTurn } from '../../../../test/support/runtime/run-turn.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import type { TurnEvent } from '../../runtime.ts';
import type { ClaudeCodeOptions } from './claude-options.ts';
import { ClaudeTurn } from './claude-turn.ts';

async function createTurn(options: ClaudeCodeOptions = {}) {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  const events: TurnEvent[] = [];
  const turn = new ClaudeTurn(testTurn({ box, own }, 'hello'), options, new AbortController().signal, (event) =>
    events.push(event),
  );
  return { turn, events, box };
}
const permission = { toolUseId: 'toolu_1', input: {}, signal: new AbortController().signal };

describe('ClaudeTurn', () => {
  test('fails when Claude Code did not connect to its servers', async () => {
    const { turn } = await createTurn();
    turn.handle({ type: 'system', subtype: 'init', mcp_servers: [{ name: 'signalbox', status: 'failed' }] });
    const { reason, error } = await turn.result;
    assert.equal(reason, 'error');
    assert.match(error?.message ?? '', /did not connect to the servers "signalbox" \(failed\)/);
  });

  test('permits tools of the box, which decides them; a matching server name from another source is denied', async () => {
    const { turn } = await createTurn();
    const permit = async (server: { name: string; source: string } | undefined) =>
      (await turn.gate.permit({ ...permission, toolName: 'mcp__signalbox__ping', server })).behavior;
    assert.equal(await permit({ name: 'signalbox', source: 'sdk' }), 'allow');
    assert.equal(await permit(undefined), 'allow', 'older versions do not send the source of a server');
    assert.equal(await permit({ name: 'signalbox', source: 'project' }), 'deny');
    assert.equal(await permit({ name: 'stranger', source: 'project' }), 'deny');
  });

  test('permits tools of passthrough servers, and of no others', async () => {
    const { turn } = await createTurn({ passthrough: { mcpServers: { docs: {} }, hooks: {} } });
    const permit = async (name: string) =>
      (await turn.gate.permit({ ...permission, toolName: `mcp__${name}__find`, server: { name, source: 'dynamic' } }))
        .behavior;
    assert.equal(await permit('docs'), 'allow');
    assert.equal(await permit('toString'), 'deny');
  });

  test('reports a result only after the complete input of its call, and ends each call once', async () => {
    const { turn, events, box } = await createTurn();
    await turn.servers.get('signalbox')?.answer({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ping', arguments: {}, _meta: { 'claudecode/toolUseId': 'toolu_1' } },
    });
    assert.deepEqual(events, []);
    const use = { type: 'tool_use', id: 'toolu_1', name: 'mcp__signalbox__ping', input: {} };
    turn.handle({ type: 'assistant', message: { content: [use] } });
    turn.handle({ type: 'assistant', message: { content: [use] } });
    turn.handle({
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'again' }] },
    });
    assert.deepEqual(
      events.map(({ type }) => type),
      ['tool_call_start', 'tool_call_end', 'tool_result'],
    );
    await turn.close({ reason: 'end' });
    await box.close();
  });

  test('ignores malformed messages', async () => {
    const { turn, events } = await createTurn();
    for (const message of [{}, { content: 7 }, { content: [null, 1, { type: 'tool_use' }, { type: 'tool_result' }] }])
      for (const type of ['assistant', 'user', 'stream_event', 'system', 'unknown'])
        turn.handle({ type, message, event: { type: 'content_block_delta' } });
    assert.deepEqual(events, []);
  });
});
