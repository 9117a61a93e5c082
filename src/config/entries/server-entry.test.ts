import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ConfigurationError } from '../configuration-error.ts';
import { loadConfiguration } from '../file/load-configuration.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-tools-'));
const file = join(directory, 'signalbox.config.json');
after(() => rmSync(directory, { recursive: true }));

function load(entry: string, tools: string): ReturnType<typeof loadConfiguration> {
  writeFileSync(file, `{"mcpServers": {"a": {${entry},\n"tools": ${tools}}}}`);
  return loadConfiguration(file);
}

function problemsOf(entry: string, tools: string): string[] {
  try {
    load(entry, tools);
  } catch (error) {
    assert.ok(error instanceof ConfigurationError, String(error));
    return error.message.split('\n').map((line) => line.slice(file.length + 1));
  }
  return assert.fail('the configuration was accepted');
}

const block = `{
  "allow": ["read_*"], "deny": ["move_file"], "rename": { "read_text_file": "read" },
  "describe": { "read": "…" }, "title": { "read": "Read" },
  "arguments": { "read": { "default": { "n": [1, null] }, "hide": ["head"], "set": { "constructor": {} } } },
  "effect": { "write_file": "undoable" }, "providerOptions": { "read": { "openai": { "strict": true } } }, "prefix": true }`;

suite('the tools block of a server entry', () => {
  for (const [kind, entry] of [
    ['module', '"module": "x.ts"'],
    ['external', '"command": "x"'],
  ] as const) {
    test(`of kind ${kind} is read completely, with the name of the file`, () => {
      const [server] = load(entry, block).servers;
      assert.deepEqual(server?.tools, { ...(JSON.parse(block) as object), origin: 'signalbox.config.json' });
      assert.ok(server?.kind === 'local' || !('tools' in (server?.settings ?? {})));
    });

    test(`of kind ${kind} is validated strictly`, () => {
      const cases: readonly (readonly [string, string])[] = [
        ['{"alow": []}', '2:11  mcpServers.a.tools.alow: unknown key (an array) — did you mean "allow"?'],
        ['{\n"deny": "x"}', '3:1  mcpServers.a.tools.deny: expected an array of strings ("x")'],
        ['{"rename": {"a": ""}}', '2:22  mcpServers.a.tools.rename.a: expected a string that is not empty ("")'],
        ['{"prefix": "x"}', '2:11  mcpServers.a.tools.prefix: expected true or false ("x")'],
        ['{"providerOptions": {"a": 1}}', '2:31  mcpServers.a.tools.providerOptions.a: expected an object (1)'],
        [
          '{"arguments": {"a": {"defaults": {}}}}',
          '2:31  mcpServers.a.tools.arguments.a.defaults: unknown key (an object) — did you mean "default"?',
        ],
        [
          '{"arguments": {"a": {"default": {"n": 1}, "set": {\n"n": 2}}}}',
          '3:1  mcpServers.a.tools.arguments.a.set.n: has a "default" too, which could never apply — keep one of the two',
        ],
        [
          '{"rename": {"a": "b"}, "effect": {"b": "read",\n"a": "read"}}',
          '3:1  mcpServers.a.tools.effect.a: is the same tool as "b", by its other name — keep one of the two',
        ],
      ];
      for (const [tools, expected] of cases) assert.deepEqual(problemsOf(entry, tools), [expected]);
    });
  }

  test('is absent from the entry when the file has none', () => {
    writeFileSync(file, '{"mcpServers": {"a": {"module": "x"}, "b": {"command": "x"}}}');
    for (const server of loadConfiguration(file).servers) assert.ok(!('tools' in server));
  });
});
