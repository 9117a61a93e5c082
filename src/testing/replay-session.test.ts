import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { referenceServer } from '../../test/mcp-servers/programs.ts';
import type { ToolResult } from '../core/tools/content.ts';
import { createSignalbox, defineTool, localServer, mcpServer } from '../index.ts';
import { type ReplayedCall, recordedSession, replay, replaySession } from './index.ts';

const secret = 'canary-4711-canary';

function paid(cost: number): ToolResult {
  return { content: [{ type: 'text', text: 'paid' }], _meta: { 'signalbox/costUsd': cost } };
}

describe('replay of a recorded session', () => {
  test('returns the recorded outcomes and results offline, including denied and failed calls', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-session-'));
    t.after(() => rmSync(data, { recursive: true }));
    let runs = 0;
    const input = { type: 'object' } as const;
    const tools = [
      defineTool({
        name: 'count',
        description: '…',
        input,
        effect: 'read',
        run: () => ({ runs: (runs += 1), note: secret }),
      }),
      defineTool({ name: 'send', description: '…', input, effect: 'irreversible', run: () => 'sent' }),
      defineTool({
        name: 'fail',
        description: '…',
        input,
        effect: 'read',
        run: () => {
          throw new Error('unlucky number');
        },
      }),
    ];
    const everything = mcpServer({ name: 'every', transport: referenceServer('everything') });
    await everything.ready();
    const box = await createSignalbox({
      servers: [localServer({ name: 't', tools }), everything],
      data,
      secrets: { CANARY: secret },
      approve: ({ arguments: args }) => ({ allow: args['to'] === 'friend' }),
    });
    const options = { session: 's1', principal: { id: 'bot', kind: 'agent' } } as const;
    for (const [tool, args] of [
      ['mcp__t__count', {}],
      ['mcp__t__count', {}],
      ['mcp__t__fail', {}],
      ['mcp__t__send', { to: 'friend' }],
      ['mcp__t__send', { to: 'stranger' }],
      ['mcp__every__echo', { message: 'hello' }],
      ['mcp__every__get-tiny-image', {}],
      ['mcp__t__unknown', {}],
    ] as const)
      await box.call(tool, args, options);
    await box.call('mcp__t__count', {}, { session: 'another' });
    const session = await recordedSession(box.journal, 's1');
    await box.close();
    assert.equal(runs, 3);

    const replayed: ReplayedCall[] = [];
    for await (const call of replaySession(session)) replayed.push(call);
    assert.deepEqual(
      replayed.map(({ recorded, differs }) => [recorded.outcome, differs]),
      [
        ['completed', 'no'],
        ['completed', 'no'],
        ['failed', 'no'],
        ['completed', 'no'],
        ['denied', 'no'],
        ['completed', 'no'],
        ['completed', 'no'],
        ['denied', 'no'],
      ],
    );
    assert.equal(runs, 3, 'no tool ran');
    assert.deepEqual(
      replayed.slice(0, 2).map(({ replayed: { structuredContent } }) => structuredContent),
      [1, 2].map((each) => ({ runs: each, note: '[redacted:CANARY]' })),
    );
    assert.equal(replayed[6]?.replayed.content[1]?.type, 'image');
    assert.ok(!readFileSync(join(data, 'signalbox.db')).includes(secret), 'recordings contain no secret');

    const changed: ReplayedCall[] = [];
    const policies = [
      { id: 'no-post', match: 'mcp__t__send', deny: true },
      { id: 'rest', allow: true },
    ];
    for await (const call of replaySession(session, { policies })) changed.push(call);
    assert.deepEqual(
      changed
        .filter(({ differs }) => differs !== 'no')
        .map(({ recorded, replayed: result, differs }) => [recorded.tool, result.decision?.rule, differs]),
      [
        ['mcp__t__send', 'no-post', 'outcome'],
        // A human denied it in the recording; a rule denies it now.
        ['mcp__t__send', 'no-post', 'decision'],
      ],
    );

    // An agent can also run against the recording.
    const server = session.cassettes.find((cassette) => cassette.server.server === 't');
    assert.ok(server !== undefined);
    const offline = await createSignalbox({ servers: [replay(server)] });
    assert.deepEqual((await offline.call('mcp__t__count')).structuredContent, { runs: 1, note: '[redacted:CANARY]' });
    await offline.close();
  });

  test('reports no differences for any outcome when the rules are unchanged', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-session-'));
    t.after(() => rmSync(data, { recursive: true }));
    const input = { type: 'object' } as const;
    const neverEnd = (): Promise<never> => new Promise(() => undefined);
    const tools = [
      defineTool({ name: 'slow', description: '…', input, effect: 'irreversible', timeoutMs: 20, run: neverEnd }),
      defineTool({ name: 'read', description: '…', input, effect: 'read', timeoutMs: 20, run: neverEnd }),
      defineTool({ name: 'send', description: '…', input, effect: 'irreversible', run: () => 'sent' }),
      defineTool({ name: 'paid', description: '…', input, effect: 'read', run: () => paid(0.5) }),
    ];
    const policies = [
      { id: 'no-read', match: 'mcp__t__read', deny: 'has(args.far)' },
      { id: 'poor', budget: { match: 'mcp__t__paid', cost: 1 } },
    ];
    const box = await createSignalbox({
      servers: [localServer({ name: 't', tools })],
      data,
      policies,
      approve: ({ arguments: args }) => ({ allow: args['to'] !== 'stranger' }),
    });
    const options = { session: 's1', principal: { id: 'bot', kind: 'agent' } } as const;
    const outcomes: string[] = [];
    const call = async (tool: string, args: object, extra: object = {}): Promise<void> =>
      void outcomes.push((await box.call(`mcp__t__${tool}`, args, { ...options, ...extra })).outcome);
    await call('slow', {});
    await call('read', {});
    await call('read', { far: true });
    await call('send', { to: 'stranger' });
    await call('send', { to: 'me' }, { permissionMode: 'plan' });
    await call('read', {}, { signal: AbortSignal.abort() });
    await call('send', {}, { definitionHash: 'another' });
    for (let count = 0; count < 3; count += 1) await call('paid', {});
    await box.close();
    const withoutApprover = await createSignalbox({ servers: [localServer({ name: 't', tools })], data, policies });
    outcomes.push((await withoutApprover.call('mcp__t__send', { to: 'me' }, { ...options, waitMs: 0 })).outcome);
    const session = await recordedSession(withoutApprover.journal, 's1');
    await withoutApprover.close();
    const expected = ['timed-out', 'timed-out', 'denied', 'denied', 'denied', 'cancelled', 'stale'];
    assert.deepEqual(outcomes, [...expected, 'completed', 'completed', 'denied', 'awaiting-approval']);
    for (const rules of [[], policies]) {
      const replayed: ReplayedCall[] = [];
      for await (const each of replaySession(session, { policies: rules })) replayed.push(each);
      assert.deepEqual(
        replayed.map(({ replayed: { outcome }, differs }) => [outcome, differs]),
        outcomes.map((outcome) => [outcome, 'no']),
      );
    }
  });

  test('stores no results when recording is off or a call has no session', async () => {
    const tool = defineTool({
      name: 'many',
      description: '…',
      input: { type: 'object' },
      effect: 'read',
      run: () => [1, 2],
    });
    const servers = [localServer({ name: 't', tools: [tool] })];
    for (const record of [true, false]) {
      const box = await createSignalbox({ servers, record });
      const { callId } = await box.call('mcp__t__many', {}, { session: 's' });
      const alone = await box.call('mcp__t__many', {});
      assert.equal((await box.journal.recording(callId)) !== undefined, record);
      assert.equal(await box.journal.recording(alone.callId), undefined, 'a call without a session is not recorded');
      await box.close();
    }
  });
});
