import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createSignalbox, defineTool, localServer } from '../../src/index.ts';
import {
  type SessionEvent,
  claude,
  claudeCli,
  createSchedules,
  createServer,
  createSessionClient,
  createSessions,
  model,
  query,
} from '../../src/server/index.ts';
import * as z from 'zod';
import { claudeEnvironment } from '../support/runtime/claude.ts';
import { toModelInput, startMessagesServer } from '../support/model/messages-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const paid: number[] = [];
const pay = defineTool({
  name: 'pay',
  description: 'Pays an amount.',
  input: z.object({ amount: z.number() }),
  effect: 'irreversible',
  run: ({ amount }) => {
    paid.push(amount);
    return `paid ${amount}`;
  },
});

const textOf = (events: readonly SessionEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');

for (const [name, createRuntime] of [
  ['claude-cli', claudeCli],
  ['claude', claude],
] as const)
  test(`query runs a turn of the real Claude CLI through ${name}, whose calls the box decides and records`, async (t) => {
    const root = temporaryDirectory(t);
    const [home, cwd] = [join(root, 'home'), join(root, 'workspace')];
    for (const directory of [home, cwd]) mkdirSync(directory);
    const api = await startMessagesServer((request) => {
      const { results } = toModelInput(request);
      return results.length === 0
        ? [{ type: 'tool_use', name: 'mcp__shop__pay', input: { amount: 7 } }]
        : [{ type: 'text', text: `heard: ${results.map((result) => result.text).join()}` }];
    });
    t.after(() => api.close());
    const requests: unknown[] = [];
    const box = await createSignalbox({
      servers: [localServer({ name: 'shop', tools: [pay] })],
      approve: ({ arguments: args }) => {
        requests.push(args);
        return { allow: true, by: { id: 'ada', kind: 'human' } };
      },
    });
    t.after(() => box.close());
    const runtime = createRuntime({ env: claudeEnvironment(api.url, home) });
    t.after(() => runtime.close());
    const events: SessionEvent[] = [];
    for await (const event of query('pay 7', { box, runtime, cwd })) events.push(event);
    assert.deepEqual(events.at(-1)?.type, 'done');
    assert.match(textOf(events), /heard: .*paid 7/);
    assert.deepEqual(requests, [{ amount: 7 }]);
    const { items } = await box.journal.calls({ tool: 'mcp__shop__pay' });
    assert.deepEqual(
      items.map((item) => item.type === 'ToolInvoked' && [item.outcome, item.sessionId === events[0]?.sessionId]),
      [['completed', true]],
    );
  });

describe('sessions from code', () => {
  test('run several turns in a client, which approves a call and continues a session by its id', async (t) => {
    const data = temporaryDirectory(t);
    const box = await createSignalbox({ servers: [localServer({ name: 'shop', tools: [pay] })], data });
    t.after(() => box.close());
    const runtime = model({ model: 'demo' });
    t.after(() => runtime.close());
    const sessions = await createSessions(box, { agents: { demo: { runtime } }, cwd: data });
    t.after(() => sessions.close());
    const client = await createSessionClient(sessions);
    const first: SessionEvent[] = [];
    for await (const event of client.send('call mcp__shop__pay {"amount": 3}')) {
      first.push(event);
      if (event.type === 'approval_required') await client.approve(event.toolCallId);
    }
    assert.ok(first.some(({ type }) => type === 'approval_required'));
    assert.ok(paid.includes(3));
    const again = await createSessionClient(sessions, { id: client.id });
    const second: SessionEvent[] = [];
    for await (const event of again.send('ping the server')) second.push(event);
    assert.deepEqual([again.id, second.at(-1)?.type], [client.id, 'done']);
    assert.match(textOf(second), /pong/);
  });

  test('are interrupted by leaving a turn early or aborting its signal', async (t) => {
    const data = temporaryDirectory(t);
    const box = await createSignalbox({ servers: [localServer({ name: 'shop', tools: [pay] })], data });
    t.after(() => box.close());
    const runtime = model({ model: 'demo' });
    t.after(() => runtime.close());
    const sessions = await createSessions(box, { agents: { demo: { runtime } }, cwd: data });
    t.after(() => sessions.close());
    const client = await createSessionClient(sessions);
    for await (const event of client.send('call mcp__shop__pay {"amount": 5}'))
      if (event.type === 'approval_required') break;
    const abort = new AbortController();
    const reasons: string[] = [];
    for await (const event of client.send('call mcp__shop__pay {"amount": 6}', { signal: abort.signal })) {
      if (event.type === 'approval_required') abort.abort();
      if (event.type === 'done') reasons.push(event.reason);
    }
    assert.deepEqual(reasons, ['interrupted']);
    assert.ok(!paid.includes(5) && !paid.includes(6));
  });

  test('are served by createServer, with the box and its schedules, to clients with the token', async (t) => {
    const data = temporaryDirectory(t);
    const box = await createSignalbox({ servers: [localServer({ name: 'shop', tools: [pay] })], data });
    t.after(() => box.close());
    const runtime = model({ model: 'demo' });
    t.after(() => runtime.close());
    const sessions = await createSessions(box, { agents: { demo: { runtime } }, cwd: data });
    t.after(() => sessions.close());
    const schedules = createSchedules(box, sessions);
    t.after(() => schedules.close());
    const server = await createServer(box, { port: 0, sessions, schedules });
    t.after(() => server.close());
    const get = (path: string, token: string): Promise<Response> =>
      fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
    assert.equal((await get('/api/tools', 'guessed')).status, 401);
    const { items } = (await (await get('/api/tools', server.token)).json()) as { items: { name: string }[] };
    assert.ok(items.some((tool) => tool.name === 'mcp__shop__pay'));
    assert.equal((await get('/api/sessions', server.token)).status, 200);
    assert.equal((await get('/api/jobs', server.token)).status, 200);
  });

  test('reject a missing agent, and an object that is not a box', async () => {
    const box = await createSignalbox();
    await assert.rejects(createSessions(box, { agents: {} }), TypeError);
    await assert.rejects(createServer({ ...box, call: box.call, sessionStore: undefined } as never), TypeError);
    await box.close();
  });
});
