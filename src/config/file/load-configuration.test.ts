import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { ConfigurationError } from '../configuration-error.ts';
import { type Configuration, defaultConfiguration } from '../configuration.ts';
import { findConfiguration } from './configuration-files.ts';
import { loadConfiguration } from './load-configuration.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-configuration-'));
const file = join(directory, 'signalbox.config.json');
after(() => rmSync(directory, { recursive: true }));

function load(text: string): Configuration {
  writeFileSync(file, text);
  return loadConfiguration(file);
}

/** Returns the lines of the error without the file name. */
function problemsOf(text: string): string[] {
  try {
    load(text);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    assert.equal(error.code, 'configuration-invalid');
    return error.message.split('\n').map((line) => {
      assert.ok(line.startsWith(`${file}:`), line);
      return line.slice(file.length + 1);
    });
  }
  return assert.fail('the configuration was accepted');
}

const entry = (fields: string): string => `{"mcpServers": {"a": {${fields}}}}`;

suite('a valid configuration', () => {
  test('may have comments and trailing commas; its paths are resolved and its defaults are filled in', () => {
    const { document, ...configuration } = load(`\ufeff// mine
      { "$schema": "x", /* two */ "mcpServers": {
          "demo": { "module": "./demo/server.ts", "export": "server", "timeoutMs": 5000, "concurrency": 2 },
          "my_other-1": { "module": "/abs/x.ts", "disabled": true },
        }, }`);
    assert.deepEqual(Object.keys(document), ['$schema', 'mcpServers']);
    const { document: _, ...defaults } = defaultConfiguration(directory);
    assert.deepEqual(configuration, {
      ...defaults,
      servers: [
        {
          kind: 'local',
          name: 'demo',
          module: join(directory, 'demo/server.ts'),
          disabled: false,
          export: 'server',
          limits: { timeoutMs: 5000, concurrency: 2 },
        },
        { kind: 'local', name: 'my_other-1', module: '/abs/x.ts', disabled: true, limits: {} },
      ],
    });
    assert.deepEqual(load('{}'), defaultConfiguration(directory));
  });

  test('may limit the calls of a server', () => {
    const { servers } = load(
      '{"mcpServers":{"a":{"command":"x","rateLimit":{"max":30,"per":"1m"},"cache":"90s","concurrency":3}}}',
    );
    assert.deepEqual(servers[0]?.limits, {
      concurrency: 3,
      rateLimit: { max: 30, perMs: 60_000 },
      cacheMs: 90_000,
    });
    assert.throws(
      () => load('{"mcpServers":{"a":{"command":"x","rateLimit":{"max":30,"per":"1 minute"}}}}'),
      /mcpServers\.a\.rateLimit\.per: expected a number with a unit: 500ms, 90s, 15m, 1h, 7d \("1 minute"\)/,
    );
  });

  test('sets the store, the results, the built-in name, secrets, approvals, undo and retention', () => {
    const settings =
      '{"store":"postgres://u:p@h/d","results":{"maxBytes":10},"builtin":{"name":"box"},"secrets":["A_KEY","A_KEY"],"approvals":{"expireAfter":"15m"},"retention":{"journal":"180d","exportTo":"old"}}';
    const { store, results, builtinName, secrets, approvals, undo, retention } = load(settings);
    assert.deepEqual(undo, {});
    const limits = { maxFiles: 1, maxBytes: 2, maxMs: 3, keepMs: 4, keepBytes: 5 };
    assert.deepEqual(load(JSON.stringify({ undo: limits })).undo, limits);
    assert.deepEqual(approvals, { expireAfterMs: 900_000 });
    assert.deepEqual(retention, { journalMs: 180 * 86_400_000, exportTo: join(directory, 'old') });
    assert.deepEqual(
      { store, results, builtinName, secrets },
      { store: 'postgres://u:p@h/d', results: { maxBytes: 10 }, builtinName: 'box', secrets: ['A_KEY'] },
    );
  });

  test('may have external servers in every documented form', () => {
    const { servers, warnings } = load(`{"mcpServers": {
      "files": { "command": "npx", "args": ["-y", ""], "env": { "X": "\${env:X}" }, "cwd": ".",
        "tools": { "allow": ["read_*"], "deny": ["move_file"], "rename": { "a": "b" }, "describe": { "b": "…" },
          "arguments": { "b": { "default": {"n": 1}, "hide": ["head"], "set": {} } }, "effect": { "w": "undoable" },
          "providerOptions": { "b": { "openai": { "strict": true } } } },
        "timeoutMs": 60000, "concurrency": 8, "required": false, "passthrough": false, "trackInvocations": true, "workspace": ["."] },
      "search": { "type": "http", "url": "https://x/mcp", "headers": {"A": "b"}, "auth": { "type": "bearer", "token": "\${secret:S}" } },
      "old": { "type": "sse", "url": "https://x/sse", "auth": { "type": "oauth", "scopes": ["a"], "redirectPort": 8976 } },
      "socket": { "type": "websocket", "url": "wss://x" , "disabled": true },
      "memory": { "npm": "@modelcontextprotocol/server-memory@2026.8.31" } }}`);
    assert.deepEqual(
      servers.map((server) => [
        server.kind,
        server.name,
        server.kind === 'external' && server.transport,
        server.disabled,
      ]),
      [
        ['external', 'files', 'stdio', false],
        ['external', 'search', 'http', false],
        ['external', 'old', 'sse', false],
        ['external', 'socket', 'http', true],
        ['external', 'memory', 'stdio', false],
      ],
    );
    assert.deepEqual(warnings, ['mcpServers.socket: type "websocket" is read as "http"']);
  });
});

suite('an invalid configuration is rejected with the location, the value and a hint', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ['unknown key', '{\n  "stroe": "sqlite"\n}', ['2:3  stroe: unknown key ("sqlite") — did you mean "store"?']],
    ['unknown key without a similar one', '{"xylophone": {"a": 1}}', ['1:2  xylophone: unknown key (an object)']],
    [
      'unknown key of an entry',
      entry('"modul": "./a.ts"'),
      ['1:23  mcpServers.a.modul: unknown key ("./a.ts") — did you mean "module"?'],
    ],
    [
      'unknown key inside',
      entry('"module": "x", "timeoutMS": 5'),
      ['1:38  mcpServers.a.timeoutMS: unknown key (5) — did you mean "timeoutMs"?'],
    ],
    [
      'unknown key deep inside',
      entry('"npm": "x", "tools": {"alow": ["a"]}'),
      ['1:45  mcpServers.a.tools.alow: unknown key (an array) — did you mean "allow"?'],
    ],
    [
      'unknown key that may hold a secret',
      '{"store_password": "hunter2"}',
      ['1:2  store_password: unknown key (hidden string)'],
    ],
    [
      'a setting that has no effect with passthrough',
      entry('"command": "x", "passthrough": true, "tools": {"deny": ["*"]}'),
      [
        '1:60  mcpServers.a.tools: has no effect with "passthrough": Claude connects to the server directly — remove one of the two',
      ],
    ],
    [
      'a sign-in that is impossible with passthrough',
      entry('"url": "https://x", "passthrough": true, "auth": {"type": "oauth"}'),
      [
        '1:73  mcpServers.a.auth.type: "oauth" cannot be combined with "passthrough": Claude would have to sign in — use "bearer", or remove "passthrough"',
      ],
    ],
    [
      'wrong type',
      '{"results": {"maxBytes": "big"}}',
      ['1:14  results.maxBytes: expected a whole number above 0 ("big")'],
    ],
    ['not positive', '{"results": {"maxBytes": 0}}', ['1:14  results.maxBytes: expected a whole number above 0 (0)']],
    [
      'wrong type in an array',
      entry('"command": "x", "args": [1]'),
      ['1:48  mcpServers.a.args[0]: expected a string (1)'],
    ],
    ['wrong type of an object', '{"mcpServers": []}', ['1:2  mcpServers: expected an object (an array)']],
    [
      'a value that may be a secret',
      entry('"command": "x", "env": {"PORT": 3000}'),
      ['1:47  mcpServers.a.env.PORT: expected a string (hidden number)'],
    ],
    [
      'an unknown authentication type',
      entry('"url": "https://x", "auth": {"type": "oath"}'),
      ['1:52  mcpServers.a.auth.type: expected one of "bearer", "oauth" (hidden string) — did you mean "oauth"?'],
    ],
    [
      'an unknown key of the authentication',
      entry('"url": "https://x", "auth": {"type": "oauth", "clientID": "x"}'),
      ['1:69  mcpServers.a.auth.clientID: unknown key (hidden string) — did you mean "clientId"?'],
    ],
    [
      'a client secret in plain text',
      entry('"url": "https://x", "auth": {"type": "oauth", "clientSecret": "hunter2"}'),
      [
        '1:69  mcpServers.a.auth.clientSecret: expected a reference to a secret, as ${secret:NAME} or ${env:NAME} (hidden string)',
      ],
    ],
    [
      'client credentials without a client',
      entry('"url": "https://x", "auth": {"type": "oauth", "grant": "client_credentials", "clientId": "x"}'),
      ['1:43  mcpServers.a.auth.clientSecret: missing, "client_credentials" needs it'],
    ],
    [
      'a platform token without its file',
      entry('"url": "https://x", "auth": {"type": "oauth", "grant": "jwt_bearer", "clientId": "x"}'),
      ['1:43  mcpServers.a.auth.assertionFile: missing, "jwt_bearer" needs it'],
    ],
    [
      'credentials of another grant',
      entry('"url": "https://x", "auth": {"type": "oauth", "assertionFile": "x", "privateKey": "${env:K}"}'),
      [
        '1:69  mcpServers.a.auth.assertionFile: is only for the grant "jwt_bearer"',
        '1:91  mcpServers.a.auth.privateKey: is only for the grant "client_credentials"',
      ],
    ],
    [
      'a sign-in for a program',
      entry('"command": "x", "auth": {"type": "oauth"}'),
      ['1:39  mcpServers.a.auth: is for servers with "url"; a program gets "env"'],
    ],
    [
      'a secret instead of the name of a variable',
      '{"secrets": ["hunter-2"]}',
      ['1:14  secrets[0]: expected the name of an environment variable (hidden string)'],
    ],
    [
      'a long value',
      `{"store": "${'x'.repeat(100)}"}`,
      [
        `1:2  store: expected "sqlite", a "postgres://…" address, or a reference to one, as \${env:NAME} ("${'x'.repeat(58)}…)`,
      ],
    ],
    [
      'a store with a password',
      '{"store": "mysql://me:hunter2@h"}',
      [
        '1:2  store: expected "sqlite", a "postgres://…" address, or a reference to one, as ${env:NAME} ("mysql://me:[redacted:url-password]@h")',
      ],
    ],
    [
      'a value outside an enumeration',
      entry('"npm": "x", "tools": {"effect": {"a": "raed"}}'),
      [
        '1:56  mcpServers.a.tools.effect.a: expected one of "read", "undoable", "compensable", "irreversible" ("raed") — did you mean "read"?',
      ],
    ],
    [
      'an entry without a kind of server',
      entry('"disabled": true'),
      ['1:17  mcpServers.a: missing, expected one of "module", "command", "url" or "npm"'],
    ],
    [
      'an entry with two kinds of server',
      entry('"module": "x", "url": "y"'),
      [
        '1:38  mcpServers.a.url: cannot be combined with "module", expected only one of "module", "command", "url" or "npm"',
      ],
    ],
    ['an entry that is not an object', '{"mcpServers": {"a": "x"}}', ['1:17  mcpServers.a: expected an object ("x")']],
    [
      'a transport without address',
      entry('"type": "http", "command": "x"'),
      ['1:23  mcpServers.a.type: "http" needs "url"'],
    ],
    [
      'an address without transport',
      entry('"type": "stdio", "url": "x"'),
      ['1:23  mcpServers.a.type: "stdio" has no "url", expected "command" or "npm"'],
    ],
    [
      'the built-in name',
      '{"mcpServers": {"signalbox": {"npm": "x"}}}',
      [
        '1:17  mcpServers.signalbox: the name belongs to the built-in server — rename it, or give the built-in server another name with "builtin.name"',
      ],
    ],
    [
      'an expiry that is not a duration',
      '{"approvals": {"expireAfter": "soon"}}',
      ['1:16  approvals.expireAfter: expected a number with a unit: 500ms, 90s, 15m, 1h, 7d ("soon")'],
    ],
    [
      'a retention without an export directory',
      '{"retention": {"journal": "180d"}}',
      ['1:2  retention.exportTo: missing, expected a string'],
    ],
    [
      'an expiry of zero',
      '{"approvals": {"expireAfter": "0s"}}',
      ['1:16  approvals.expireAfter: expected a duration above 0 ("0s")'],
    ],
    [
      'duplicate key',
      '{\n"store": "sqlite",\n"store": "sqlite"}',
      ['3:1  store: duplicate key, on line 2 and on line 3'],
    ],
    ['not an object', '[]', ['1:1  expected an object (an array)']],
    ['empty file', ' \n', ['1:1  the file is empty, expected an object']],
    ['missing colon', '{\n  "store" "sqlite"\n}', ['2:11  expected ":" after the key']],
    ['missing comma', '{\n  "store": "sqlite"\n  "secrets": []\n}', ['2:19  expected "," after this']],
    ['missing brace', '{ "store": "sqlite"', ['1:20  expected "}"']],
    ['missing quote', '{ "store": "sqlite }', ['1:12  expected a double quote to end the text']],
    ['missing value', '{ "store": }', ['1:12  expected a value']],
    ['an unterminated comment', '{} /* x', ['1:4  expected "*/" to end the comment']],
    ['excessive nesting', '['.repeat(100_000), ['1:101  nested more than 100 levels deep']],
    ['a __proto__ key', '{"__proto__": {"store": 1}}', ['1:2  __proto__: this key is not allowed']],
  ];
  for (const [name, text, lines] of cases) test(name, () => assert.deepEqual(problemsOf(text), lines));

  test('an invalid server name', () => {
    for (const name of ['a__b', 'a_', 'a b', '']) {
      const [line, ...others] = problemsOf(JSON.stringify({ mcpServers: { [name]: { npm: 'x' } } }));
      assert.match(line ?? '', /^1:16 {2}mcpServers.*: server name .*: use letters, digits, "-" and single "_"/);
      assert.deepEqual(others, []);
    }
  });

  test('all mistakes are reported at once, in the order of the file', () => {
    assert.deepEqual(
      problemsOf(
        '{ "mcpServers": { "a": { "module": 5 }, "b__c": { "module": "x", "exprot": "y" } },\n "store": 7, "store": 8, "bultin": {} }',
      ),
      [
        '1:26  mcpServers.a.module: expected a string (5)',
        `1:41  mcpServers.b__c: server name "b__c" has "__", which separates server and tool: use letters, digits, "-" and single "_", at most 44 characters`,
        '1:66  mcpServers.b__c.exprot: unknown key ("y") — did you mean "export"?',
        '2:2  store: expected "sqlite", a "postgres://…" address, or a reference to one, as ${env:NAME} (7)',
        '2:14  store: duplicate key, on line 2 and on line 2',
        '2:26  bultin: unknown key (an object) — did you mean "builtin"?',
      ],
    );
  });

  test('problems are available as data', () => {
    writeFileSync(file, '{"stroe": 1}');
    assert.throws(
      () => loadConfiguration(file),
      (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.deepEqual(error.problems, [
          { file, line: 1, column: 2, path: 'stroe', message: 'unknown key (1)', hint: 'did you mean "store"?' },
        ]);
        return true;
      },
    );
  });

  test('an unreadable file', () => {
    for (const unreadable of [join(directory, 'nowhere.json'), directory]) {
      assert.throws(
        () => loadConfiguration(unreadable),
        (error) =>
          error instanceof ConfigurationError &&
          error.code === 'configuration-unreadable' &&
          error.message.startsWith(`${unreadable}  cannot be read: E`),
      );
    }
  });

  test('arbitrary text causes no error other than ConfigurationError', () => {
    const key = fc.constantFrom(
      'mcpServers',
      'module',
      'command',
      'url',
      'type',
      'env',
      'tools',
      'arguments',
      'store',
      'secrets',
      'a',
      '__proto__',
      'constructor',
      'toString',
      '',
    );
    const { document } = fc.letrec((tie) => ({
      document: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue(),
        fc.constantFrom('sqlite', 'http', 'x'),
        fc.array(tie('document'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('document')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    const fragments = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"',
        '"store"',
        '"mcpServers"',
        '"__proto__"',
        '\\',
        '\n',
        '//',
        '/*',
        '1',
        '-',
        'null',
        'é',
        '\ud800',
      ),
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      document.map((value) => JSON.stringify(value)),
      fragments.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (content) => {
        try {
          load(content);
        } catch (error) {
          assert.ok(error instanceof ConfigurationError, String(error));
          assert.ok(error.problems.length > 0);
          assert.ok(error.problems.every(({ line, column }) => line > 0 && column > 0));
        }
      }),
      { numRuns: 3000 },
    );
  });
});

test('findConfiguration finds the nearest file in the directory or its parents, .json before .jsonc', () => {
  const root = mkdtempSync(join(tmpdir(), 'signalbox-find-'));
  const inner = join(root, 'a/b');
  mkdirSync(join(root, 'a/signalbox.config.json'), { recursive: true });
  mkdirSync(inner);
  assert.equal(findConfiguration(inner), undefined);
  writeFileSync(join(root, 'signalbox.config.jsonc'), '{}');
  assert.equal(findConfiguration(inner), join(root, 'signalbox.config.jsonc'));
  writeFileSync(join(root, 'signalbox.config.json'), '{}');
  assert.equal(findConfiguration(inner), join(root, 'signalbox.config.json'));
  writeFileSync(join(inner, 'signalbox.config.jsonc'), '{}');
  assert.equal(findConfiguration(inner), join(inner, 'signalbox.config.jsonc'));
  rmSync(root, { recursive: true });
});
