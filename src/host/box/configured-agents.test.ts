import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { httpFixture } from '../../../test/mcp-servers/http-fixture.ts';
import { claudeEnvironment } from '../../../test/support/runtime/claude.ts';
import { toModelInput, startMessagesServer } from '../../../test/support/model/messages-server.ts';
import type { ModelBlock } from '../../../test/support/model/model-script.ts';
import { type TurnResult, runTurn } from '../../../test/support/runtime/run-turn.ts';
import type { Configuration } from '../../config/configuration.ts';
import { parseConfiguration } from '../../config/file/load-configuration.ts';
import { contentReader } from '../../pipeline/box-content.ts';
import type { Agent } from '../../sessions/agent.ts';
import type { ConfiguredAgents } from './configured-agents.ts';
import type { ConfiguredBox } from './configured-box.ts';
import { openBoxForDiagnosis } from './open-box.ts';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-agents-')));
after(() => rmSync(directory, { recursive: true, force: true }));
const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');

const configuration = (document: object): Configuration =>
  parseConfiguration(JSON.stringify(document), join(directory, 'signalbox.config.json'));

async function withAgents(
  document: object,
  use: (agents: ConfiguredAgents, configured: ConfiguredBox) => Promise<void>,
): Promise<void> {
  const configured = await openBoxForDiagnosis(configuration(document), { secretsFrom: directory });
  try {
    await use(await configured.agents(), configured);
  } finally {
    await configured.close();
  }
}

function findAgent(agents: ConfiguredAgents, name: string): Agent {
  const agent = agents.list().find((each) => each.name === name);
  assert.ok(agent, name);
  return agent;
}

const turn = (agent: Agent, { box }: ConfiguredBox, content: string): Promise<TurnResult> =>
  runTurn(agent.runtime, { box, own: agent.runtimeTools }, content, {
    cwd: directory,
    ...(agent.model === undefined ? {} : { model: agent.model }),
    ...(agent.instructions === undefined ? {} : { instructions: agent.instructions }),
  });

suite('ConfiguredAgents', () => {
  test('include the demo agent, which needs no key and can call tools', () =>
    withAgents({}, async (agents, configured) => {
      assert.deepEqual([agents.defaultName, agents.list().map(({ name }) => name)], ['demo', ['demo']]);
      const { text, results } = await turn(findAgent(agents, 'demo'), configured, 'ping the server');
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['completed'],
      );
      assert.match(text, /pong/);
    }));

  test('have the settings of their entries, and share the tools of their runtime', () =>
    withAgents(
      {
        profiles: { calm: {} },
        agents: {
          default: 'two',
          one: { runtime: 'claude', model: 'opus', instructions: 'Be brief.', profile: 'calm', cwd: 'x' },
          two: { runtime: 'claude-cli', permissionMode: 'plan' },
        },
      },
      (agents, { box }) => {
        const [one, two] = [findAgent(agents, 'one'), findAgent(agents, 'two')];
        const { name, model, profile, cwd } = one;
        assert.deepEqual([name, model, profile, cwd], ['one', 'opus', 'calm', join(directory, 'x')]);
        assert.match(one.instructions ?? '', /mcp__signalbox__[^]*\n\nBe brief\.$/);
        assert.deepEqual([one.runtime.name, two.runtime.name, two.permissionMode], ['claude', 'claude-cli', 'plan']);
        assert.equal(one.runtimeTools, two.runtimeTools);
        assert.equal(agents.defaultName, 'two');
        assert.deepEqual(
          box.catalog().servers.map((server) => server.name),
          ['signalbox'],
        );
        return Promise.resolve();
      },
    ));

  test('are replaced only if their entry changed; running turns continue', () =>
    withAgents(
      { agents: { a: { runtime: 'model', model: 'demo' }, b: { runtime: 'model', model: 'demo' } } },
      async (agents, configured) => {
        const [a, b] = [findAgent(agents, 'a'), findAgent(agents, 'b')];
        const events = a.runtime.turn({
          session: 's',
          content: 'ping the server',
          cwd: directory,
          permissionMode: 'default',
          signal: new AbortController().signal,
          tools: {
            list: () => configured.box.tools(),
            call: (tool, args) => configured.box.call(tool, args),
            begin: () => Promise.reject(new Error('not supported')),
          },
          serverContent: contentReader(configured.box, {}),
          ask: () => Promise.resolve(undefined),
        });
        const iterator = events[Symbol.asyncIterator]();
        await iterator.next();
        const { details } = await configured.reload(() =>
          configuration({
            agents: {
              b: { runtime: 'model', model: 'demo' },
              a: { runtime: 'model', model: 'demo', instructions: 'x' },
            },
          }),
        );
        assert.deepEqual(details, ['changed the agents']);
        assert.equal(findAgent(agents, 'b'), b);
        assert.notEqual(findAgent(agents, 'a'), a);
        assert.equal(agents.defaultName, 'b');
        let last: unknown;
        for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) last = next.value;
        assert.deepEqual(last, { type: 'done', reason: 'end' });
      },
    ));

  test('report a missing key with its location in the first turn, and read it again in the next turn', async (t) => {
    const file = join(directory, 'signalbox.config.json');
    const document = {
      agents: {
        gpt: {
          runtime: 'model',
          model: 'local/some',
          providers: { local: { baseURL: 'http://127.0.0.1:9/v1', apiKey: '${env:AGENTS_TEST_KEY}' } },
        },
      },
    };
    writeFileSync(file, JSON.stringify(document, null, 2));
    t.after(() => {
      rmSync(file);
      delete process.env['AGENTS_TEST_KEY'];
    });
    await withAgents(document, async (agents, configured) => {
      const gpt = findAgent(agents, 'gpt');
      const { errors, reason } = await turn(gpt, configured, 'hello');
      assert.equal(reason, 'error');
      assert.match(
        errors[0]?.message ?? '',
        /signalbox\.config\.json:9: agents\.gpt\.providers\.local\.apiKey refers to the environment variable AGENTS_TEST_KEY, which is not set/,
      );
      process.env['AGENTS_TEST_KEY'] = 'planted-agents-key';
      const second = await turn(gpt, configured, 'hello');
      assert.doesNotMatch(second.errors[0]?.message ?? '', /AGENTS_TEST_KEY|planted-agents-key/);
      const { content } = await configured.box.call('mcp__signalbox__read_result', { uri: 'planted-agents-key' });
      assert.ok(content);
      let recorded = '';
      for await (const event of configured.box.journal.stream()) recorded += JSON.stringify(event);
      assert.match(recorded, /\[redacted:AGENTS_TEST_KEY\]/);
      assert.doesNotMatch(recorded, /planted-agents-key/);
    });
  });
});

suite('ConfiguredAgents with Claude', { timeout: 300_000 }, () => {
  for (const runtime of ['claude', 'claude-cli'])
    test(`${runtime} uses the box and passthrough servers, whose secrets are on no command line, and has a transcript`, async (t) => {
      const home = join(directory, `home-${runtime}`);
      mkdirSync(home);
      let commandLine = '';
      const api = await startMessagesServer((request): readonly ModelBlock[] => {
        const { results } = toModelInput(request);
        if (results.length > 0)
          return [{ type: 'text', text: `results: ${results.map(({ text }) => text).join(' | ')}` }];
        commandLine ||= commandLines();
        return [
          { type: 'tool_use', name: 'mcp__web__echo', input: { text: 'by the web' } },
          { type: 'tool_use', name: 'mcp__every__get-env', input: {} },
          { type: 'tool_use', name: 'mcp__signalbox__ping', input: {} },
        ];
      });
      process.env['AGENTS_TEST_SECRET'] = 'planted-server-secret';
      const queries = new Set<string>();
      const fixture = await httpFixture('legacy', 0, ({ url }) => void queries.add(new URL(url).search));
      t.after(async () => {
        delete process.env['AGENTS_TEST_SECRET'];
        await fixture.close();
        await api.close();
      });
      const { ANTHROPIC_API_KEY: _, ...env } = claudeEnvironment(api.url, home);
      const every = {
        command: process.execPath,
        args: [everything],
        env: { SERVER_SECRET: 'is ${env:AGENTS_TEST_SECRET}' },
        passthrough: true,
      };
      process.env['AGENTS_TEST_API_KEY'] = 'planted-api-key';
      const agent = { runtime, env: { ...env, ANTHROPIC_API_KEY: '${env:AGENTS_TEST_API_KEY}' } };
      const bound = { named: { ...agent, profile: 'named' }, picky: { ...agent, profile: 'picky' } };
      const profiles = { named: { servers: ['every'], tools: ['*'] }, picky: { tools: ['ping'] } };
      const web = { type: 'http', url: `${fixture.url}?key=\${env:AGENTS_TEST_SECRET}`, passthrough: true };
      const document = { mcpServers: { every, web }, profiles, agents: { c: agent, ...bound } };
      await withAgents(document, async (agents, configured) => {
        const { box } = configured;
        assert.deepEqual(
          box.catalog().notices.map(({ server, message }) => [server, message.slice(0, 28)]),
          [
            ['every', 'is passed to Claude directly'],
            ['web', 'is passed to Claude directly'],
          ],
        );
        assert.equal((await box.call('mcp__every__echo', {})).outcome, 'denied');
        const claude = findAgent(agents, 'c');
        const result = await turn(claude, configured, 'go');
        assert.deepEqual([result.reason, result.errors], ['end', []]);
        assert.match(result.text, /"SERVER_SECRET": "is planted-server-secret"/);
        assert.match(result.text, /pong/);
        assert.match(result.text, /by the web/);
        assert.deepEqual([...queries], ['?key=planted-server-secret']);
        assert.match(commandLine, /--mcp-config/);
        assert.doesNotMatch(commandLine, /planted-server-secret|planted-api-key/);
        const { items } = await box.journal.calls({ session: 'session-1' });
        const observed = items.find(
          (item) => item.type === 'ToolInvoked' && item.observed === true && item.adapter === 'mcp:every',
        );
        assert.deepEqual(observed?.type === 'ToolInvoked' && [observed.tool, observed.principal.id, observed.adapter], [
          'mcp__every__get-env',
          'c',
          'mcp:every',
        ]);
        assert.doesNotMatch(JSON.stringify(items), /planted/);
        const transcript = await claude.runtime.transcript?.(result.memory ?? null, directory);
        assert.deepEqual(
          transcript?.map(({ role }) => role),
          ['user', 'assistant', 'assistant'],
        );
        // A profile also applies to passthrough servers.
        const absent = /No such tool available: mcp__every__get-env/;
        assert.match((await turn(findAgent(agents, 'picky'), configured, 'go')).text, absent);
        assert.match((await turn(findAgent(agents, 'named'), configured, 'go')).text, /"SERVER_SECRET"/);
        box.servers.disable('every');
        assert.match((await turn(claude, configured, 'go')).text, absent);
      });
      delete process.env['AGENTS_TEST_API_KEY'];
    });
});

/** Returns the command lines of all descendants of this process. */
function commandLines(): string {
  const children = (pid: number): string =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== '')
      .map((child) => `${readFileSync(`/proc/${child}/cmdline`, 'utf8')}\n${children(Number(child))}`)
      .join('\n');
  return process.platform === 'linux' ? children(process.pid) : '--mcp-config';
}
