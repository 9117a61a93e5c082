import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { type ToolInvoked } from '../../src/index.ts';
import { type PassthroughServer, claudePassthrough } from '../../src/surfaces/claude/index.ts';
import { claudeEnvironment, heldPrompt } from '../support/claude.ts';
import { type MessagesServer, startMessagesServer } from '../support/messages-server.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const server: PassthroughServer = {
  config: { type: 'stdio', command: process.execPath, args: [everything], alwaysLoad: true },
};

/** Two calls at the server, one of which fails, in the real Claude CLI. */
describe('a server with passthrough', () => {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-claude-'));
  let api: MessagesServer;
  before(async () => {
    api = await startMessagesServer(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('tool_result')
        ? [{ type: 'text', text: 'done' }]
        : [
            { type: 'tool_use', name: 'mcp__every__echo', input: { message: 'hello', token: 'canary-4711-canary' } },
            { type: 'tool_use', name: 'mcp__every__get-sum', input: { a: 1, b: 'x' } },
          ],
    );
  });
  after(async () => {
    await api.close();
    rmSync(home, { recursive: true, force: true });
  });

  async function turn(every: PassthroughServer): Promise<{ calls: readonly ToolInvoked[]; seen: string }> {
    const box: InternalSignalbox = await openSignalbox({ secrets: { CANARY: 'canary-4711-canary' } });
    const asked = api.requests.length;
    const prompt = heldPrompt('go');
    const options = {
      ...claudePassthrough(box, { every }),
      env: claudeEnvironment(api.url, home),
      cwd: home,
      settingSources: [],
      canUseTool: (_: string, input: Record<string, unknown>) =>
        Promise.resolve({ behavior: 'allow' as const, updatedInput: input }),
    };
    for await (const message of query({ prompt: prompt.messages, options }))
      if (message.type === 'result') prompt.end();
    const { items } = await box.journal.calls();
    await box.close();
    const results = api.requests.slice(asked).at(-1)?.messages.at(-1)?.content;
    return { calls: items.filter((item) => item.type === 'ToolInvoked'), seen: JSON.stringify(results) };
  }

  test('is called by Claude directly, and each call leaves one ToolInvoked with adapter, duration and outcome', async () => {
    const { calls, seen } = await turn(server);
    assert.deepEqual(
      calls.map(({ tool }) => tool).toSorted((a, b) => a.localeCompare(b)),
      ['mcp__every__echo', 'mcp__every__get-sum'],
    );
    const echo = calls.find(({ tool }) => tool === 'mcp__every__echo');
    const sum = calls.find(({ tool }) => tool === 'mcp__every__get-sum');
    assert.equal(echo?.adapter, 'mcp:every');
    assert.equal(echo.observed, true);
    assert.equal(echo.outcome, 'completed');
    assert.equal(echo.output, 'Echo: hello');
    assert.equal(typeof echo.durationMs, 'number');
    assert.deepEqual(echo.arguments['message'], 'hello');
    assert.ok(!JSON.stringify(calls).includes('canary-4711'), 'secrets are not recorded');
    assert.equal(sum?.outcome, 'failed');
    assert.match(sum.error?.message ?? '', /expected number/);
    assert.ok(echo.sessionId !== undefined && echo.sessionId === sum.sessionId);
    assert.match(seen, /"Echo: hello"/, 'the model got the result as it was');
  });

  test('is not recorded with trackInvocations: false', async () => {
    const { calls, seen } = await turn({ ...server, trackInvocations: false });
    assert.deepEqual(calls, []);
    assert.match(seen, /"Echo: hello"/);
  });
});
