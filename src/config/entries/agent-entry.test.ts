import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConfigurationError } from '../configuration-error.ts';
import type { Configuration } from '../configuration.ts';
import { parseConfiguration } from '../file/load-configuration.ts';

const load = (document: object): Configuration => parseConfiguration(JSON.stringify(document), '/place/signalbox.json');

/** Returns the problems of a document without their lines. */
function problems(document: object): string[] {
  try {
    load(document);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    return error.problems.map(({ path, message, hint }) => [`${path}: ${message}`, ...(hint ? [hint] : [])].join('; '));
  }
  return assert.fail('the configuration was accepted');
}

suite('agents in a configuration', () => {
  test('always include the demo agent, which is the default when no other agent is configured', () => {
    const { agents } = load({});
    assert.deepEqual(agents, { entries: [{ name: 'demo', runtime: 'model', model: 'demo' }], defaultName: 'demo' });
    const own = load({ agents: { writer: { runtime: 'claude' } } }).agents;
    assert.deepEqual(
      own.entries.map(({ name }) => name),
      ['writer', 'demo'],
    );
    assert.equal(own.defaultName, 'writer', 'the first one');
    assert.equal(load({ agents: { default: 'demo', writer: { runtime: 'claude' } } }).agents.defaultName, 'demo');
  });

  test('have all settings of their runtime, with paths resolved from the directory of the file', () => {
    const claude = {
      runtime: 'claude-cli',
      model: 'opus',
      instructions: 'Be brief.',
      profile: 'coding',
      cwd: 'work',
      permissionMode: 'acceptEdits',
      limits: { steps: 5, costUsd: 0.5 },
      env: { ANTHROPIC_API_KEY: '${secret:KEY}', LANG: 'C' },
      settingSources: ['project'],
      toolSearch: true,
      executable: './bin/claude',
    };
    const model = {
      runtime: 'model',
      model: 'local/qwen',
      limits: { steps: 5, costUsd: 1, tokens: 10, time: '5m' },
      providers: {
        local: {
          apiKey: '${env:LOCAL_KEY}',
          baseURL: 'http://localhost:1234/v1',
          headers: { 'X-Team': 'a', Authorization: 'Bearer ${env:T}' },
          api: 'chat',
          options: { thinking: { type: 'adaptive' } },
        },
      },
    };
    const { agents } = load({ profiles: { coding: {} }, agents: { default: 'm', c: claude, m: model } });
    assert.deepEqual(agents.entries.slice(0, 2), [
      { ...claude, name: 'c', cwd: '/place/work', executable: '/place/bin/claude' },
      { ...model, name: 'm' },
    ]);
    assert.equal(agents.defaultName, 'm');
  });

  test('are rejected with the path of each mistake and the closest valid value', () => {
    const cases: [object, string[]][] = [
      [{ a: 1 }, ['agents.a: expected an object (1)']],
      [{ a: {} }, ['agents.a.runtime: missing, expected one of "claude", "claude-cli", "model"']],
      [
        { a: { runtime: 'claud' } },
        ['agents.a.runtime: expected one of "claude", "claude-cli", "model" ("claud"); did you mean "claude"?'],
      ],
      [
        { a: { runtime: 'model' } },
        ['agents.a.model: missing, expected "demo", or a provider and its model: "anthropic/claude-sonnet-4-5"'],
      ],
      [{ a: { runtime: 'claude', modle: 'x' } }, ['agents.a.modle: unknown key ("x"); did you mean "model"?']],
      [{ a: { runtime: 'claude', providers: {} } }, ['agents.a.providers: is for agents with the runtime "model"']],
      [
        { a: { runtime: 'model', model: 'x/y', settingSources: ['user'] } },
        ['agents.a.settingSources: is for agents with the runtime "claude" or "claude-cli"'],
      ],
      [
        { default: 'clade', claude: { runtime: 'claude' } },
        ['agents.default: expected the name of an agent: claude, demo; did you mean "claude"?'],
      ],
      [{ default: {} }, ['agents.default: expected the name of an agent: demo']],
      [{ demo: { runtime: 'claude' } }, ['agents.demo: the name belongs to the built-in demo agent; rename it']],
      [
        { 'a/b': { runtime: 'claude' } },
        [
          'agents["a/b"]: expected a name of letters, digits, "-" and single "_", not ending with "_", at most 44 characters',
        ],
      ],
      [
        { a: { runtime: 'claude', profile: 'codin' } },
        ['agents.a.profile: there is no profile "codin"; did you mean "coding"?'],
      ],
      [{ a: { runtime: 'claude', limits: { time: '5m' } } }, ['agents.a.limits.time: unknown key ("5m")']],
      [
        { a: { runtime: 'claude', permissionMode: 'accept' } },
        [
          'agents.a.permissionMode: expected one of "default", "acceptEdits", "plan", "dontAsk", "bypassPermissions" ("accept")',
        ],
      ],
    ];
    for (const [agents, expected] of cases)
      assert.deepEqual(problems({ profiles: { coding: {} }, agents }), expected, JSON.stringify(agents));
  });

  test('are rejected when the file contains a key, which is not shown', () => {
    const key = 'sk-ant-api03-abcdefghijklmnop';
    const lines = [
      problems({ agents: { a: { runtime: 'model', model: 'x/y', providers: { x: { apiKey: key } } } } }),
      problems({
        agents: { a: { runtime: 'model', model: 'x/y', providers: { x: { headers: { 'x-api-key': key } } } } },
      }),
      problems({ agents: { a: { runtime: 'claude', env: { ANTHROPIC_API_KEY: key } } } }),
      ...[
        { apiKey: `\${env:KEY:-${key}}` },
        { options: { extra: { apiKey: key } } },
        { baseURL: `https://me:${key}@models.example/v1` },
      ].map((x) => problems({ agents: { a: { runtime: 'model', model: 'x/y', providers: { x } } } })),
    ].flat();
    assert.equal(lines.length, 6);
    for (const line of lines) {
      assert.match(line, /expected a reference to/);
      assert.ok(!line.includes(key), line);
    }
  });

  test('reserve the server names of tools that runtimes run themselves', () => {
    const server = { command: 'x' };
    assert.match(problems({ mcpServers: { model: server } }).join(), /mcpServers\.model: the name belongs to/);
    assert.match(problems({ mcpServers: { claude: server } }).join(), /belongs to the built-in tools of Claude Code/);
  });
});

suite('profiles in a configuration', () => {
  test('are read unchanged; an unknown server is a warning with the closest name', () => {
    const profiles = {
      coding: {
        servers: ['files', 'fiels', 'signalbox'],
        tools: ['!*delete*'],
        disclosure: 'never',
        trustsHuman: true,
      },
    };
    const configuration = load({ mcpServers: { files: { command: 'x' } }, profiles });
    assert.deepEqual(configuration.profiles, profiles);
    assert.deepEqual(configuration.warnings, [
      'profiles.coding.servers: there is no server "fiels"; did you mean "files"?',
    ]);
  });

  test('are rejected with the path of each mistake', () => {
    assert.deepEqual(problems({ profiles: { 'a b': {}, c: { server: [] }, d: { disclosure: 'often' } } }), [
      'profiles["a b"]: expected a name of letters, digits, "-" and single "_", not ending with "_", at most 44 characters',
      'profiles.c.server: unknown key (an array); did you mean "servers"?',
      'profiles.d.disclosure: expected one of "auto", "always", "never" ("often")',
    ]);
  });
});
