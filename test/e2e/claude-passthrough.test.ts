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
import { claudeEnvironment, openPrompt } from '../support/runtime/claude.ts';
import { type MessagesServer, startMessagesServer } from '../support/model/messages-server.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const server: PassthroughServer = {
  config: { type: 'stdio', command: process.execPath, args: [everything], alwaysLoad: true },
};

/** The model makes two calls at the server in the real Claude CLI; one of them fails. */
describe('server with passthrough', () => {
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

  async function runQuery(every: PassthroughServer): Promise<{ calls: readonly ToolInvoked[]; results: string }> {
    const box: InternalSignalbox = await openSignalbox({ secrets: { CANARY: 'canary-4711-canary' } });
    const earlierRequests = api.requests.length;
    const prompt = openPrompt('go');
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
    const results = api.requests.slice(earlierRequests).at(-1)?.messages.at(-1)?.content;
    return { calls: items.filter((item) => item.type === 'ToolInvoked'), results: JSON.stringify(results) };
  }

  test('is called by Claude directly, and each call is recorded as one ToolInvoked with adapter, duration and outcome', async () => {
    const { calls, results } = await runQuery(server);
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
    assert.match(results, /"Echo: hello"/, 'the model received the unchanged result');
  });

  test('is not recorded with trackInvocations: false', async () => {
    const { calls, results } = await runQuery({ ...server, trackInvocations: false });
    assert.deepEqual(calls, []);
    assert.match(results, /"Echo: hello"/);
  });
});
