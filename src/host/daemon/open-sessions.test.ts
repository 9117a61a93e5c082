import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { claudeEnvironment } from '../../../test/support/runtime/claude.ts';
import { type MessagesServer, toModelInput, startMessagesServer } from '../../../test/support/model/messages-server.ts';
import type { ScriptedInput, ModelBlock } from '../../../test/support/model/model-script.ts';
import { parseConfiguration } from '../../config/file/load-configuration.ts';
import type { Principal } from '../../core/principal.ts';
import type { SessionEvent } from '../../sessions/events/session-event.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { ConfiguredBox } from '../box/configured-box.ts';
import { openBoxForDiagnosis } from '../box/open-box.ts';
import { openSessions } from './open-sessions.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-open-sessions-')));
after(() => rmSync(directory, { recursive: true, force: true }));
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const ann = { id: 'ann', kind: 'human' } as const;

async function withSessions(
  document: object,
  use: (sessions: Sessions, configured: ConfiguredBox) => Promise<void>,
): Promise<void> {
  const configuration = parseConfiguration(JSON.stringify(document), join(directory, 'signalbox.config.json'));
  const data = mkdtempSync(join(directory, 'data-'));
  const configured = await openBoxForDiagnosis(configuration, { data, secretsFrom: data });
  const sessions = await openSessions(configured);
  try {
    await use(sessions, configured);
  } finally {
    await sessions.close({ graceMs: 0 });
    await configured.close();
  }
}

/** Sends a message, and returns the events of its turn. */
async function turn(
  sessions: Sessions,
  id: string,
  content: string,
  onEvent: (event: SessionEvent) => void = () => undefined,
): Promise<SessionEvent[]> {
  const { afterSeq: from } = await sessions.send(id, content, ann);
  const received: SessionEvent[] = [];
  const ended = new AbortController();
  for await (const event of sessions.events(id, { after: from, signal: ended.signal })) {
    received.push(event);
    onEvent(event);
    if (event.type === 'done') break;
  }
  return received;
}

const textOf = (events: readonly SessionEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');

const resultsOf = (events: readonly SessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'tool_result' ? [event.outcome] : []));

suite('openSessions', () => {
  test('gives a session the directory, permission mode and profile of its agent', async () => {
    const work = join(directory, 'work');
    mkdirSync(work);
    const agents = {
      careful: { runtime: 'model', model: 'demo', cwd: 'work', permissionMode: 'plan', profile: 'calm' },
    };
    await withSessions({ profiles: { calm: { tools: ['!get_server_info'] } }, agents }, async (sessions) => {
      const { id, agent, cwd, permissionMode } = await sessions.create({}, ann);
      assert.deepEqual([agent, cwd, permissionMode], ['careful', work, 'plan']);
      const other = await sessions.create({ cwd: directory, permissionMode: 'default' }, ann);
      assert.deepEqual([other.cwd, other.permissionMode], [directory, 'default']);
      assert.deepEqual(resultsOf(await turn(sessions, id, 'ping the server')), ['completed']);
      // The demo model calls only what it sees.
      assert.deepEqual(resultsOf(await turn(sessions, id, 'call mcp__signalbox__get_server_info {}')), []);
      assert.doesNotMatch(textOf(await turn(sessions, id, 'what tools do you have')), /get_server_info/);
      const free = await sessions.create({ agent: 'demo' }, ann);
      assert.deepEqual(resultsOf(await turn(sessions, free.id, 'call mcp__signalbox__get_server_info {}')), [
        'completed',
      ]);
    });
  });

  test('gives sessions of an agent no permission mode that asks less often than the policy, even if it is configured', () => {
    const agents = Object.fromEntries(
      ['acceptEdits', 'bypassPermissions', 'plan'].map((permissionMode) => [
        permissionMode,
        { runtime: 'model', model: 'demo', permissionMode },
      ]),
    );
    return withSessions({ agents }, async (sessions) => {
      const modes = async (owner: Principal): Promise<string[]> =>
        Promise.all(Object.keys(agents).map(async (agent) => (await sessions.create({ agent }, owner)).permissionMode));
      assert.deepEqual(await modes(ann), ['acceptEdits', 'bypassPermissions', 'plan']);
      assert.deepEqual(await modes({ id: 'token:tok_1', kind: 'agent' }), ['default', 'default', 'plan']);
    });
  });

  test('rejects messages of a revoked token', () =>
    withSessions({}, async (sessions, { box }) => {
      const { id: token } = await box.tokens.create({ role: 'agent', by: ann });
      const by = { id: `token:${token}`, kind: 'agent' } as const;
      const { id } = await sessions.create({}, by);
      await box.tokens.revoke(token, { by: ann });
      await sessions.send(id, 'ping the server', by);
      const { signal } = new AbortController();
      const received: SessionEvent[] = [];
      for await (const event of sessions.events(id, { after: 0, signal })) {
        received.push(event);
        if (event.type === 'done') break;
      }
      const [message, error] = received;
      assert.equal(message?.type, 'user_message');
      assert.ok(
        error?.type === 'error' && error.message === `the token ${token} was revoked`,
        JSON.stringify(received),
      );
    }));

  test('records calls with the owner of the session and the agent', () =>
    withSessions({}, async (sessions, { box }) => {
      const { id } = await sessions.create({}, ann);
      await turn(sessions, id, 'ping the server');
      const { items } = await box.journal.calls({ session: id });
      assert.deepEqual(
        items.flatMap((item) => (item.type === 'ToolInvoked' ? [item.principal] : [])),
        [{ id: 'ann/demo', kind: 'agent' }],
      );
    }));
});

suite('openSessions with Claude', { timeout: 300_000 }, () => {
  let script: (input: ScriptedInput) => readonly ModelBlock[] = () => [];
  const servers: MessagesServer[] = [];
  after(() => Promise.all(servers.map((server) => server.close())));

  async function withClaude(
    runtime: string,
    use: (sessions: Sessions, configured: ConfiguredBox) => Promise<void>,
    mcpServers: object = {},
  ): Promise<void> {
    const home = mkdtempSync(join(directory, 'home-'));
    const api = await startMessagesServer((request) => script(toModelInput(request)));
    servers.push(api);
    process.env['OPEN_SESSIONS_KEY'] = 'planted-session-key';
    const env = { ...claudeEnvironment(api.url, home), ANTHROPIC_API_KEY: '${env:OPEN_SESSIONS_KEY}' };
    const cwd = mkdtempSync(join(directory, 'cwd-'));
    await withSessions({ mcpServers, agents: { c: { runtime, env, cwd, instructions: 'You count sheep.' } } }, use);
    delete process.env['OPEN_SESSIONS_KEY'];
  }

  const echo = ({ results }: ScriptedInput): readonly ModelBlock[] =>
    results.length === 0
      ? [{ type: 'tool_use', name: 'mcp__signalbox__ping', input: {} }]
      : [{ type: 'text', text: `results ${results.map(({ text }) => text).join(' ')}` }];

  for (const runtime of ['claude', 'claude-cli'])
    test(`${runtime} runs turns, keeps its memory over a fork, gets the instructions, and provides the transcript`, async () => {
      await withClaude(runtime, async (sessions) => {
        script = echo;
        const { id, runtime: driver } = await sessions.create({}, ann);
        assert.equal(driver, runtime);
        const first = await turn(sessions, id, 'one');
        assert.match(textOf(first), /pong/);
        assert.deepEqual(resultsOf(first), ['completed']);
        const fork = await sessions.fork(id, ann);
        script = ({ userMessages }) => [
          { type: 'text', text: `you said ${userMessages.filter((text) => text.length < 9).join(', ')}` },
        ];
        assert.match(textOf(await turn(sessions, fork.id, 'two')), /you said one, two/);
        assert.match(textOf(await turn(sessions, id, 'three')), /you said one, three/);
        const transcriptOf = async (of: string): Promise<string[]> =>
          (await sessions.transcript(of)).map(({ role, content }) =>
            [role, ...content.map((part) => (part.type === 'tool_call' ? part.toolName : part.text))].join(' '),
          );
        const [user, call, answer, ...rest] = await transcriptOf(id);
        assert.deepEqual([user, call], ['user one', 'assistant mcp__signalbox__ping']);
        assert.match(answer ?? '', /^assistant results .*pong/);
        assert.deepEqual(rest, ['user three', 'assistant you said one, three']);
        assert.deepEqual((await transcriptOf(fork.id)).slice(-2), ['user two', 'assistant you said one, two']);
        const [request] = servers.at(-1)?.requests ?? [];
        assert.match(JSON.stringify(request), /mcp__signalbox__ describe the application.*You count sheep\./);
      });
    });

  test('asks in the session before Claude writes a file, and applies the answer', async () => {
    await withClaude('claude-cli', async (sessions) => {
      script = ({ results }) =>
        results.length === 0
          ? [{ type: 'tool_use', name: 'Write', input: { file_path: 'a.txt', content: 'a' } }]
          : [{ type: 'text', text: results.map(({ text }) => text).join('') }];
      const { id } = await sessions.create({}, ann);
      const events = await turn(sessions, id, 'write', (event) => {
        if (event.type === 'approval_required')
          void sessions.deny(id, event.toolCallId, { by: ann, reason: 'not today' });
      });
      assert.deepEqual(resultsOf(events), ['denied']);
      assert.match(textOf(events), /not today/);
    });
  });

  test('keeps Claude from reading the tokens, and from writing the configuration unasked, even in their directory', async () => {
    await withClaude('claude-cli', async (sessions, { box, file }) => {
      const token = join(box.journal.location, '../token');
      writeFileSync(token, 'planted-admin-token');
      script = ({ results }) =>
        results.length === 0
          ? [
              { type: 'tool_use', name: 'Read', input: { file_path: token } },
              { type: 'tool_use', name: 'Write', input: { file_path: file, content: '{}' } },
            ]
          : [{ type: 'text', text: results.map(({ text }) => text).join('') }];
      const { id } = await sessions.create({ cwd: directory, permissionMode: 'acceptEdits' }, ann);
      const asked: string[] = [];
      const events = await turn(sessions, id, 'take over', (event) => {
        if (event.type !== 'approval_required') return;
        asked.push(event.toolName);
        void sessions.deny(id, event.toolCallId, { by: ann });
      });
      assert.deepEqual(asked, ['mcp__claude__Write']);
      assert.doesNotMatch(JSON.stringify(events), /planted-admin-token/);
    });
  });

  test('records passthrough calls with the owner of the session and the agent', async () => {
    const every = { command: process.execPath, args: [everything], passthrough: true };
    await withClaude(
      'claude-cli',
      async (sessions, { box }) => {
        script = ({ results }) =>
          results.length === 0
            ? [{ type: 'tool_use', name: 'mcp__every__echo', input: { message: 'x' } }]
            : [{ type: 'text', text: 'done' }];
        const { id } = await sessions.create({}, ann);
        await turn(sessions, id, 'go');
        const { items } = await box.journal.calls({ session: id });
        assert.deepEqual(
          items.flatMap((item) => (item.type === 'ToolInvoked' ? [[item.tool, item.principal]] : [])),
          [['mcp__every__echo', { id: 'ann/c', kind: 'agent' }]],
        );
      },
      { every },
    );
  });

  test('reports the status of every server in session_status, including passthrough servers and servers that are down', async () => {
    const every = { command: process.execPath, args: [everything], passthrough: true };
    const missing = { command: 'no-such-program' };
    await withClaude(
      'claude-cli',
      async (sessions) => {
        script = echo;
        const { id } = await sessions.create({}, ann);
        const events = await turn(sessions, id, 'go');
        const status = events.findLast((event) => event.type === 'session_status');
        const statuses = status?.servers.map(({ name, status: how, tools }) => [name, how, tools > 0]) ?? [];
        assert.deepEqual(
          statuses.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
          [
            ['every', 'up', true],
            ['missing', 'down', false],
            ['signalbox', 'up', true],
          ],
        );
        assert.match(status?.servers.find(({ name }) => name === 'missing')?.error ?? '', /no-such-program/);
      },
      { every, missing },
    );
  });
});
