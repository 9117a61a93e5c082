import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { defineTool } from '../sources/local/define-tool.ts';
import type { AnyTool } from '../sources/local/foreign-tools.ts';
import { localServer } from '../sources/local/local-server.ts';
import { runtimeTools } from './runtime-tools.ts';
import { turnTools } from './turn-tools.ts';

const agent = { principal: { id: 'agent', kind: 'agent' }, permissionMode: 'default', cwd: '/' } as const;

const tool = (description: string): AnyTool =>
  defineTool({ name: 'look', description, input: z.object({}), effect: 'read', run: () => description });

describe('turnTools', () => {
  test('pins a call to the definition that was listed last', async (t) => {
    const server = localServer({ name: 'a', tools: [tool('one')] });
    const own = runtimeTools('runtime');
    const box = await openSignalbox({ servers: [server, own] });
    t.after(() => box.close());
    const tools = turnTools({ box, own, session: 's', ...agent });
    tools.list();
    assert.equal((await tools.call('mcp__a__look', {}, { toolCallId: '1' })).outcome, 'completed');
    server.replace(tool('two'));
    assert.equal((await tools.call('mcp__a__look', {}, { toolCallId: '2' })).outcome, 'stale');
    tools.list();
    assert.equal((await tools.call('mcp__a__look', {}, { toolCallId: '3' })).outcome, 'completed');
  });

  test('passes the options of the session for a call id', async (t) => {
    const own = runtimeTools('runtime');
    const box = await openSignalbox({ servers: [localServer({ name: 'a', tools: [tool('one')] }), own] });
    t.after(() => box.close());
    const options = (toolCallId: string): { deadline: number } => ({
      deadline: toolCallId === 'late' ? 1 : Date.now() + 60_000,
    });
    const tools = turnTools({ box, own, session: 's', ...agent, options });
    assert.equal((await tools.call('mcp__a__look', {}, { toolCallId: 'late' })).outcome, 'timed-out');
    assert.equal((await tools.call('mcp__a__look', {}, { toolCallId: 'soon' })).outcome, 'completed');
  });

  test('limits an agent to its profile, including its own tools', async (t) => {
    const own = runtimeTools('runtime');
    const servers = [
      localServer({ name: 'a', tools: [tool('one')] }),
      localServer({ name: 'b', tools: [tool('two')] }),
      own,
    ];
    const profiles = { p: { servers: ['b'], tools: ['!Bash', '!mcp__signalbox__*'] } };
    const box = await openSignalbox({ servers, profiles });
    t.after(() => box.close());
    const tools = turnTools({ box, own, session: 's', ...agent, profile: 'p' });
    assert.deepEqual(
      tools.list().map(({ name }) => name),
      ['mcp__b__look'],
    );
    const { outcome, error } = await tools.call('mcp__a__look', {}, { toolCallId: '1' });
    assert.deepEqual([outcome, error?.code], ['denied', 'tool-hidden']);
    assert.equal((await tools.call('mcp__b__look', {}, { toolCallId: '2' })).outcome, 'completed');
    const bash = await tools.begin({ name: 'Bash', effect: 'read' }, {}, { toolCallId: '3' });
    assert.match(bash.allowed ? '' : bash.reason, /profile "p" excludes it with "!Bash"/);
  });
});
