import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { configuredServer } from '../../src/catalog/transforms/shaping/shape-source.ts';
import {
  type Signalbox,
  type SignalboxOptions,
  createSignalbox,
  defineTool,
  localServer,
  mcpServer,
} from '../../src/index.ts';
import { secondClient } from '../mcp-clients/clients.ts';
import { serving } from '../mcp-clients/serving.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { adminToken, bodyOf, startTestServer } from '../support/http/http-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const reading = 'mcp__fixture__resources/read';
const noSecrets = {
  id: 'no-secrets',
  match: reading,
  deny: "args.uri == 'note://two'",
  reason: 'that note is private',
};

async function openBox(t: TestContext, options: SignalboxOptions): Promise<Signalbox> {
  const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram() });
  const labelled = configuredServer(fixture, { serverLabels: ['private'], origin: 'test' });
  const send = defineTool({
    name: 'send',
    description: 'Sends.',
    input: { type: 'object' },
    effect: 'read',
    labels: ['external'],
    run: () => 'sent',
  });
  const box = await createSignalbox({ servers: [labelled, localServer({ name: 'mail', tools: [send] })], ...options });
  t.after(() => box.close());
  await fixture.ready();
  return box;
}

const rules = (...all: readonly object[]): SignalboxOptions => ({
  policies: [{ file: 'policies.yaml', text: JSON.stringify(all) }],
});

describe('rules about resources and prompts', () => {
  test('apply to the library, and the journal records which reads they denied', async (t) => {
    const box = await openBox(
      t,
      rules(noSecrets, { id: 'no-prompts', match: 'mcp__fixture__prompts/get', deny: "args.arguments.who == 'Eve'" }),
    );
    assert.ok((await box.resources.read('fixture', 'note://one'))['contents']);
    await assert.rejects(box.resources.read('fixture', 'note://two'), {
      code: 'content-denied',
      message: /refused by no-secrets: that note is private/,
    });
    assert.ok((await box.prompts.get('fixture', 'greet', { who: 'Ada' }))['messages']);
    await assert.rejects(box.prompts.get('fixture', 'greet', { who: 'Eve' }), { code: 'content-denied' });
    const { items } = await box.journal.calls({});
    assert.deepEqual(
      items.map((call) => call.type === 'ToolInvoked' && [call.tool, call.outcome, call.decision?.rule]).toReversed(),
      [
        [reading, 'completed', 'default:read'],
        [reading, 'denied', 'no-secrets'],
        ['mcp__fixture__prompts/get', 'completed', 'default:read'],
        ['mcp__fixture__prompts/get', 'denied', 'no-prompts'],
      ],
    );
  });

  for (const era of ['legacy', 'modern'] as const)
    test(`apply to resources, prompts and completion at the MCP endpoint (${era})`, async (t) => {
      const server = mcpServer({ name: 'fixture', transport: fixtureProgram() });
      const everything = {
        id: 'no',
        match: ['mcp__fixture__prompts/get', 'mcp__fixture__completion/complete'],
        deny: true,
      };
      const { url } = await serving(t, { servers: [server], ...rules(noSecrets, everything) });
      await server.ready();
      const client = await secondClient(t, url, era);
      assert.ok((await client.readResource({ uri: 'note://one' })).contents);
      await assert.rejects(client.readResource({ uri: 'note://two' }), /no-secrets/);
      // The name that rules use cannot bypass the rule as the name of a tool.
      const called = await client.callTool({ name: reading, arguments: { uri: 'note://two' } });
      assert.equal(called.isError, true);
      await assert.rejects(
        client.getPrompt({ name: 'mcp__fixture__greet', arguments: { who: 'Ada' } }),
        /refused by no/,
      );
      const ref = { type: 'ref/prompt', name: 'mcp__fixture__greet' } as const;
      await assert.rejects(client.complete({ ref, argument: { name: 'who', value: 'a' } }), /refused by no/);
    });

  test('apply to subscriptions at the MCP endpoint', async (t) => {
    const server = mcpServer({ name: 'fixture', transport: fixtureProgram() });
    const rule = { id: 'no', match: 'mcp__fixture__resources/subscribe', deny: "args.uri == 'note://two'" };
    const { url } = await serving(t, { servers: [server], ...rules(rule) });
    await server.ready();
    const client = await secondClient(t, url, 'legacy');
    await client.subscribeResource({ uri: 'note://one' });
    await assert.rejects(client.subscribeResource({ uri: 'note://two' }), /refused by no/);
  });

  test('apply over HTTP, with 403 and the reason', async (t) => {
    const { box, send } = await startTestServer(t);
    const fixture = mcpServer({ name: 'fixture', transport: fixtureProgram() });
    box.servers.add(fixture);
    t.after(() => box.servers.remove('fixture').catch(() => undefined));
    await fixture.ready();
    await box.policies.set([{ file: 'policies.yaml', text: JSON.stringify([noSecrets]) }]);
    const read = (uri: string): Promise<Response> =>
      send(adminToken, 'POST', '/api/resources/read', { server: 'fixture', uri });
    assert.equal((await read('note://one')).status, 200);
    const refused = await read('note://two');
    assert.equal(refused.status, 403);
    assert.partialDeepStrictEqual(await bodyOf<object>(refused), { code: 'content-denied' });
  });

  test('apply to tools that read resources while they run', async (t) => {
    const peek = defineTool({
      name: 'peek',
      description: 'Reads a note.',
      input: { type: 'object' },
      effect: 'read',
      run: async (_, context) => JSON.stringify(await context.resources?.read('fixture', 'note://two')),
    });
    const box = await openBox(t, rules(noSecrets));
    box.servers.add(localServer({ name: 'tools', tools: [peek] }));
    const { outcome, error } = await box.call('mcp__tools__peek', {});
    assert.deepEqual([outcome, /no-secrets/.test(error?.message ?? '')], ['failed', true]);
  });

  test('can ask a human, who may deny', async (t) => {
    const requests: unknown[] = [];
    const box = await openBox(t, {
      ...rules({ id: 'ask', match: reading, ask: true }),
      approve(request) {
        requests.push(request.arguments);
        return { allow: JSON.stringify(request.arguments).includes('one') };
      },
    });
    assert.ok((await box.resources.read('fixture', 'note://one'))['contents']);
    await assert.rejects(box.resources.read('fixture', 'note://two'), { code: 'content-denied' });
    assert.deepEqual(requests, [{ uri: 'note://one' }, { uri: 'note://two' }]);
  });

  test('count reads for rate limits, requires and flow', async (t) => {
    const box = await openBox(
      t,
      rules(
        { id: 'calm', rateLimit: { match: 'mcp__fixture__resources/*', per: '1h', max: 2 } },
        { id: 'read-first', requires: { 'mcp__fixture__prompts/get': [reading] } },
        { id: 'no-leak', flow: { from: ['private'], to: ['external'] } },
      ),
    );
    const session = { session: 's1' };
    assert.equal((await box.call('mcp__mail__send', {}, session)).outcome, 'completed');
    await assert.rejects(box.prompts.get('fixture', 'greet', { who: 'Ada' }, session), /read-first/);
    await box.resources.read('fixture', 'note://one', session);
    await box.prompts.get('fixture', 'greet', { who: 'Ada' }, session);
    assert.equal((await box.call('mcp__mail__send', {}, session)).decision?.rule, 'no-leak');
    await box.resources.read('fixture', 'note://two', session);
    await assert.rejects(box.resources.read('fixture', 'note://three', session), /calm/);
  });

  test('a tool cannot take the name of a method, and methods are not listed as tools', async (t) => {
    const impostor = defineTool({
      name: 'resources/read',
      description: 'x',
      input: { type: 'object' },
      effect: 'irreversible',
      run: () => 'x',
    });
    const box = await openBox(t, {});
    assert.throws(() => box.servers.add(localServer({ name: 'impostor', tools: [impostor] })), {
      code: 'tool-invalid',
    });
    assert.ok(!box.tools().some(({ name }) => name.includes('/')));
    box.profiles.set({ calm: { servers: ['mail'] } });
    const { outcome, error } = await box.call(reading, { uri: 'note://one' }, { profile: 'calm' });
    assert.deepEqual([outcome, error?.code], ['denied', 'tool-hidden']);
  });
});

describe('rule about call_tool', () => {
  test('is rejected when the policy is loaded, with the reason', async (t) => {
    const box = await openBox(t, {});
    for (const rule of [
      { id: 'a', match: 'mcp__signalbox__call_tool', deny: true },
      { id: 'b', match: ['x', 'call_tool'], ask: true },
      { id: 'c', rateLimit: { match: 'mcp__signalbox__call_tool', per: '1m', max: 1 } },
      { id: 'd', requires: { mcp__mail__send: ['mcp__signalbox__call_tool'] } },
      { id: 'e', match: 'mcp__mail__send', deny: "session.last('call_tool').seq > 0" },
    ])
      await assert.rejects(box.policies.set([rule]), /call_tool only forwards calls/, rule.id);
    await box.policies.set([{ id: 'fine', match: 'mcp__signalbox__*', ask: true }]);
  });

  test('is recognized by the configured name of the built-in server', async (t) => {
    const box = await openBox(t, { builtin: { name: 'house' } });
    await assert.rejects(
      box.policies.set([{ id: 'a', match: 'mcp__house__call_tool', deny: true }]),
      /only forwards calls/,
    );
  });
});

describe('undone call', () => {
  test('no longer satisfies requires: live, after a restart and in a backtest', async (t) => {
    const directory = temporaryDirectory(t);
    const workspace = join(directory, 'workspace');
    mkdirSync(workspace);
    const tool = (name: string, effect: 'undoable' | 'irreversible', run: () => unknown) =>
      defineTool({ name, description: name, input: { type: 'object' }, effect, run });
    const servers = () => [
      localServer({
        name: 'ci',
        workspace: [workspace],
        tools: [
          tool('build', 'undoable', () => writeFileSync(join(workspace, 'out'), String(Math.random()))),
          tool('deploy', 'irreversible', () => 'deployed'),
        ],
      }),
    ];
    const rule = { id: 'build-first', requires: { mcp__ci__deploy: ['mcp__ci__build'] } };
    const allow = { id: 'yes', match: 'mcp__ci__*', allow: true };
    const open = (): Promise<Signalbox> =>
      createSignalbox({ data: join(directory, 'data'), servers: servers(), ...rules(rule, allow) });
    const session = { session: 's1' };
    const box = await open();
    const deploy = async (at: Signalbox): Promise<string> => (await at.call('mcp__ci__deploy', {}, session)).outcome;
    try {
      const first = await box.call('mcp__ci__build', {}, session);
      const second = await box.call('mcp__ci__build', {}, session);
      assert.equal(await deploy(box), 'completed');
      assert.equal((await box.undo.call(second.callId)).outcome, 'undone');
      assert.equal(await deploy(box), 'completed', 'the first build still counts');
      assert.equal((await box.undo.call(first.callId)).outcome, 'undone');
      assert.equal(await deploy(box), 'denied');
      assert.deepEqual((await box.policies.backtest([rule, allow])).changed, []);
    } finally {
      await box.close();
    }
    const again = await open();
    t.after(() => again.close());
    assert.equal(await deploy(again), 'denied');
    await again.call('mcp__ci__build', {}, session);
    assert.equal(await deploy(again), 'completed');
  });
});
