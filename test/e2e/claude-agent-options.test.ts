import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { type SDKMessage, query } from '@anthropic-ai/claude-agent-sdk';
import { type Signalbox, createSignalbox } from '../../src/index.ts';
import { type ClaudeAgentSettings, claudeAgentOptions } from '../../src/surfaces/claude/index.ts';
import { mcpServer } from '../../src/sources/mcp/mcp-server.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { claudeEnvironment, openPrompt } from '../support/runtime/claude.ts';
import { type MessagesServer, startMessagesServer } from '../support/model/messages-server.ts';
import type { ModelBlock } from '../support/model/model-script.ts';
import { picture, shopServer } from '../support/boxes/shop-server.ts';
import { testSource, testTool } from '../support/boxes/test-source.ts';

/** Each query runs in the real Claude CLI. Its model makes the given calls and then says "done". */
describe('claudeAgentOptions', () => {
  async function startClaude(
    t: TestContext,
    calls: readonly ModelBlock[],
  ): Promise<{ api: MessagesServer; home: string }> {
    const home = mkdtempSync(join(tmpdir(), 'signalbox-claude-'));
    const api = await startMessagesServer(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('tool_result') ? [{ type: 'text', text: 'done' }] : calls,
    );
    t.after(async () => {
      await api.close();
      rmSync(home, { recursive: true, force: true });
    });
    return { api, home };
  }

  async function openBox(t: TestContext, approve = false): Promise<Signalbox> {
    const answer = approve ? { allow: true as const } : { allow: false as const, reason: 'not today' };
    const signalbox = await createSignalbox({ servers: [shopServer()], approve: () => answer });
    t.after(() => signalbox.close());
    return signalbox;
  }

  /** Runs one query, and returns the servers and tools that Claude reported at its start, and its result. */
  async function runQuery(
    signalbox: Signalbox,
    { api, home }: { api: MessagesServer; home: string },
    settings?: ClaudeAgentSettings,
  ): Promise<{ connected: string[]; tools: string[]; result: string }> {
    const prompt = openPrompt('go');
    let init: Extract<SDKMessage, { type: 'system'; subtype: 'init' }> | undefined;
    let result = '';
    const env = claudeEnvironment(api.url, home);
    const options = { ...claudeAgentOptions(signalbox, settings), env, cwd: home, settingSources: [] };
    for await (const message of query({ prompt: prompt.messages, options })) {
      if (message.type === 'system' && message.subtype === 'init') init = message;
      if (message.type !== 'result') continue;
      result = message.subtype === 'success' ? message.result : message.subtype;
      prompt.end();
    }
    const connected = (init?.mcp_servers ?? []).filter(({ status }) => status === 'connected').map(({ name }) => name);
    return { connected, tools: (init?.tools ?? []).filter((name) => name.startsWith('mcp__')), result };
  }

  const allowAll: ClaudeAgentSettings['canUseTool'] = (_, updatedInput) =>
    Promise.resolve({ behavior: 'allow', updatedInput });

  const lastMessage = (api: MessagesServer): string => JSON.stringify(api.requests.at(-1)?.messages.at(-1)?.content);

  test('offers the tools of the box under their names; calls run through the pipeline, images included', async (t) => {
    const signalbox = await openBox(t);
    const claude = await startClaude(t, [
      { type: 'tool_use', name: 'mcp__shop__price', input: { item: 'pen' } },
      { type: 'tool_use', name: 'mcp__shop__photo', input: {} },
    ]);
    const { tools, result, connected } = await runQuery(signalbox, claude, { session: 's1' });
    const names = signalbox.tools().map(({ name }) => name);
    assert.equal(result, 'done');
    assert.deepEqual(connected.toSorted(), ['shop', 'signalbox']);
    assert.deepEqual(tools.toSorted(), names.toSorted());
    const offered = claude.api.requests[0]?.tools?.map(({ name }) => name) ?? [];
    assert.deepEqual(
      names.filter((name) => !offered.includes(name)),
      [],
      'the model is offered all of them',
    );
    const { items } = await signalbox.journal.calls();
    assert.deepEqual(
      new Set(
        items.map((entry) => entry.type === 'ToolInvoked' && `${entry.tool} ${entry.outcome} ${entry.sessionId}`),
      ),
      new Set(['mcp__shop__price completed s1', 'mcp__shop__photo completed s1']),
    );
    assert.ok(lastMessage(claude.api).includes(picture));
  });

  test('does not run a call that a human denies or a built-in tool that nobody can approve; the model gets the reason', async (t) => {
    const signalbox = await openBox(t);
    const claude = await startClaude(t, [
      { type: 'tool_use', name: 'mcp__shop__order', input: { item: 'pen' } },
      { type: 'tool_use', name: 'Write', input: { file_path: '/nonexistent/x', content: 'x' } },
    ]);
    await runQuery(signalbox, claude);
    assert.match(lastMessage(claude.api), /not today/);
    assert.match(lastMessage(claude.api), /nobody can be asked whether Write may run/);
    const { items } = await signalbox.journal.calls();
    assert.equal(items[0]?.type === 'ToolInvoked' && items[0].outcome, 'denied');
  });

  test('offers the resources of the box’s servers', async (t) => {
    const signalbox = await openBox(t);
    const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram() });
    signalbox.servers.add(fixture);
    await fixture.ready();
    const claude = await startClaude(t, [
      { type: 'tool_use', name: 'ReadMcpResourceTool', input: { server: 'fixture', uri: 'note://two' } },
    ]);
    const { connected } = await runQuery(signalbox, claude, { session: 's1', canUseTool: allowAll });
    assert.ok(connected.includes('fixture'));
    assert.match(lastMessage(claude.api), /the text of note:\/\/two/);
    const tool = 'mcp__fixture__resources/read';
    const { items } = await signalbox.journal.query({ type: 'ToolInvoked', tool, session: 's1' });
    assert.partialDeepStrictEqual(items, [{ server: 'fixture', arguments: { uri: 'note://two' } }]);
  });

  test('offers all tools to two concurrent queries, and a changed catalog to the next one', async (t) => {
    const signalbox = await openBox(t, true);
    const claude = await startClaude(t, [{ type: 'tool_use', name: 'mcp__shop__order', input: { item: 'pen' } }]);
    const turns = await Promise.all([runQuery(signalbox, claude), runQuery(signalbox, claude)]);
    for (const { tools, result } of turns) {
      assert.equal(result, 'done');
      assert.equal(tools.length, signalbox.tools().length);
    }
    assert.equal((await signalbox.journal.calls()).items.length, 2);
    signalbox.servers.add(testSource('later', [testTool('more')]));
    signalbox.servers.disable('shop');
    const { connected, tools } = await runQuery(signalbox, claude);
    assert.deepEqual(connected.toSorted(), ['later', 'signalbox']);
    assert.ok(tools.includes('mcp__later__more') && !tools.includes('mcp__shop__order'));
  });
});
