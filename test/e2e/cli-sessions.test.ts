import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { SessionEvent } from '../../src/sessions/events/session-event.ts';
import { claudeEnvironment } from '../support/runtime/claude.ts';
import { type MessagesServer, toModelInput, startMessagesServer } from '../support/model/messages-server.ts';
import type { ScriptedInput, ModelBlock } from '../support/model/model-script.ts';
import { type CliServer, CliProject } from './cli-project.ts';

const token = 'a-token-for-the-test';

interface Answer {
  readonly id: string;
  readonly agent: string;
  readonly lastTurn?: string;
  readonly items: readonly { readonly role: string; readonly content: readonly { readonly text?: string }[] }[];
}

/** A running server, called with the admin token. */
class Served {
  readonly #server: CliServer;

  constructor(server: CliServer) {
    this.#server = server;
  }

  static async start(project: CliProject, environment: Readonly<Record<string, string>> = {}): Promise<Served> {
    return new Served(await project.serve({ SIGNALBOX_TOKEN: token, ...environment }));
  }

  ask(path: string, body?: object, accept = 'application/json'): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' };
    return fetch(
      this.#server.url + path,
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
    );
  }

  async json(path: string, body?: object): Promise<Answer> {
    const response = await this.ask(path, body);
    assert.ok(response.ok, `${path}: ${response.status}`);
    return (await response.json()) as Answer;
  }

  /** Sends a message in a session, and returns the events of its turn. */
  async turn(session: string, content: string): Promise<SessionEvent[]> {
    const response = await this.ask(`/api/sessions/${session}/messages`, { content }, 'text/event-stream');
    assert.equal(response.status, 200);
    const data = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
    return data.map((line) => JSON.parse(line.slice('data: '.length)) as SessionEvent);
  }

  async stop(): Promise<string> {
    return (await this.#server.stop()).stderr;
  }
}

const textOf = (events: readonly SessionEvent[]): string =>
  events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');

const typesOf = (events: readonly SessionEvent[]): string[] => [...new Set(events.map(({ type }) => type))];

suite('sessions over HTTP', { timeout: 300_000 }, () => {
  test('start with the demo agent, and survive a restart', async () => {
    const project = new CliProject();
    const first = await Served.start(project);
    const { id, agent } = await first.json('/api/sessions', {});
    assert.equal(agent, 'demo');
    const events = await first.turn(id, 'ping the server');
    const types = typesOf(events);
    for (const type of [
      'user_message',
      'session_status',
      'tool_call_start',
      'tool_call_end',
      'tool_result',
      'text_delta',
    ])
      assert.ok(types.includes(type), `${type} in ${types.join()}`);
    assert.deepEqual(types.at(-1), 'done');
    assert.match(JSON.stringify(events), /pong/);
    await first.stop();

    const second = await Served.start(project);
    const { items } = await second.json(`/api/sessions/${id}/messages`);
    assert.deepEqual(items.map(({ role }) => role).slice(0, 2), ['user', 'assistant']);
    assert.match(JSON.stringify(await second.turn(id, 'ping the server')), /pong/);
    await second.stop();
  });

  suite('with Claude', () => {
    let script: (input: ScriptedInput) => readonly ModelBlock[] = () => [];
    let api: MessagesServer;
    before(async () => {
      api = await startMessagesServer((request) => script(toModelInput(request)));
    });
    after(() => api.close());

    /** Creates a project whose agent is the real Claude Code with a scripted model. */
    function createClaudeProject(runtime: string): CliProject {
      const project = new CliProject();
      const env = {
        ...claudeEnvironment(api.url, join(project.directory, 'home')),
        ANTHROPIC_API_KEY: '${env:CLAUDE_KEY}',
      };
      writeFileSync(
        join(project.directory, 'signalbox.config.json'),
        JSON.stringify({ agents: { claude: { runtime, env } } }),
      );
      return project;
    }
    const environment = { CLAUDE_KEY: 'planted-key-of-claude' };

    for (const runtime of ['claude', 'claude-cli'])
      test(`${runtime}: has the tools of the box, its memory, and its own transcript after a restart`, async () => {
        const project = createClaudeProject(runtime);
        script = ({ results }) =>
          results.length === 0
            ? ['get_server_info', 'get_session_count'].map((name) => {
                return { type: 'tool_use', name: `mcp__signalbox__${name}`, input: {} } as const;
              })
            : [{ type: 'text', text: `heard ${results.map(({ text }) => text).join('')}` }];
        const first = await Served.start(project, environment);
        const { id } = await first.json('/api/sessions', {});
        assert.match(textOf(await first.turn(id, 'one')), /^heard .*"product":"Signalbox".*"count":1\b/);
        await first.stop();

        script = ({ userMessages }) => [
          { type: 'text', text: `you said ${userMessages.filter((text) => text.length < 9).join()}` },
        ];
        const second = await Served.start(project, environment);
        assert.equal(textOf(await second.turn(id, 'two')), 'you said one,two');
        const { items } = await second.json(`/api/sessions/${id}/messages`);
        assert.deepEqual(
          items.map(({ role }) => role),
          ['user', 'assistant', 'assistant', 'user', 'assistant'],
        );
        await second.stop();
      });

    test('claude-cli: get_session_count counts its own sessions and other transcripts of Claude Code once each', async () => {
      const project = createClaudeProject('claude-cli');
      const config = join(project.directory, 'home');
      const folder = join(config, 'projects', realpathSync(project.directory).replaceAll(/[^A-Za-z0-9]/g, '-'));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, '11111111-89ab-cdef-0123-456789abcdef.jsonl'), '{}\n');
      writeFileSync(join(folder, 'notes.jsonl'), '{}\n');
      script = ({ results }) =>
        results.length === 0
          ? [{ type: 'tool_use', name: 'mcp__signalbox__get_session_count', input: {} }]
          : [{ type: 'text', text: results.map(({ text }) => text).join('') }];
      const served = await Served.start(project, { ...environment, CLAUDE_CONFIG_DIR: config });
      const { id } = await served.json('/api/sessions', {});
      await served.turn(id, 'one');
      // By now there is its own transcript besides the other one.
      assert.equal(readdirSync(folder).filter((name) => /^[0-9a-f-]{36}/.test(name)).length, 2);
      const counted = JSON.parse(textOf(await served.turn(id, 'two'))) as object;
      const cwd = project.directory;
      assert.deepEqual(counted, { count: 2, cwd, signalbox: 1, claude_code: 1 });
      await served.stop();
    });

    test('stopping the server ends a running turn and everything it started, and the session reports the interruption', async () => {
      const project = createClaudeProject('claude-cli');
      const requested = Promise.withResolvers<void>();
      script = () => {
        requested.resolve();
        return [{ type: 'text', text: 'begun' }, { type: 'wait' }];
      };
      const first = await Served.start(project, environment);
      const { id } = await first.json('/api/sessions', {});
      assert.equal((await first.ask(`/api/sessions/${id}/messages`, { content: 'wait' })).status, 202);
      await requested.promise;
      assert.match(await first.stop(), /waiting for running turns and calls/);
      const second = await Served.start(project, environment);
      assert.equal((await second.json(`/api/sessions/${id}`)).lastTurn, 'interrupted');
      await second.stop();
    });
  });
});
