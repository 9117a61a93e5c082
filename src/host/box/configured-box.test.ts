import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { printLock } from '../../catalog/lock/lock-format.ts';
import { lockOf } from '../../catalog/lock/locked-server.ts';
import type { Configuration } from '../../config/configuration.ts';
import { parseConfiguration } from '../../config/file/load-configuration.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { ConfiguredBox } from './configured-box.ts';
import { openBoxForDiagnosis } from './open-box.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-configured-'));
after(() => rmSync(directory, { recursive: true }));
writeFileSync(
  join(directory, 'tools.ts'),
  `const tool = (name) => ({ name, description: 'Does ' + name, effect: 'read', input: { type: 'object' }, run: () => name });
   export const one = [tool('a'), tool('b')];
   export const two = [tool('b'), tool('c')];`,
);

function configuration(mcpServers: object): Configuration {
  return parseConfiguration(JSON.stringify({ mcpServers }), join(directory, 'signalbox.config.json'));
}

async function withBox(mcpServers: object, use: (configured: ConfiguredBox) => Promise<void>): Promise<void> {
  const configured = await openBoxForDiagnosis(configuration(mcpServers), { secretsFrom: directory });
  try {
    await use(configured);
  } finally {
    await configured.close();
  }
}

/** Returns everything that a caller can see of a box, without times and order. */
function stateOf(box: InternalSignalbox): object {
  const { tools, servers, hidden, notices } = box.catalog();
  const sorted = (items: readonly object[]): string[] => items.map((item) => JSON.stringify(item)).toSorted();
  return {
    tools: sorted(tools),
    servers: sorted(servers.map(({ since: _, ...rest }) => rest)),
    hidden: sorted(hidden.map(({ since: _, ...rest }) => rest)),
    notices: sorted(notices),
  };
}

test('the configuration, its lock and tool modules are protected files', () =>
  withBox({ tools: { module: './tools.ts', export: 'one' } }, async (configured) => {
    const protectedPaths = configured.protectedFiles().map(({ path }) => path);
    for (const file of ['signalbox.config.json', 'signalbox.lock', 'tools.ts'])
      assert.ok(protectedPaths.includes(join(directory, file)), `${file} is not in ${protectedPaths.join(', ')}`);
    await Promise.resolve();
  }));

const local = fc.record(
  {
    module: fc.constant('./tools.ts'),
    export: fc.constantFrom('one', 'two'),
    disabled: fc.boolean(),
    required: fc.boolean(),
    timeoutMs: fc.constantFrom(10, 20),
    tools: fc.record(
      { deny: fc.constantFrom(['a'], ['*']), rename: fc.constantFrom({ b: 'x' }, { b: 'y' }) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['module', 'export'] },
);
// Never started, because only its state in the catalog matters here.
const external = fc.record({
  command: fc.constantFrom('one', 'two'),
  disabled: fc.constant(true),
  required: fc.boolean(),
});
const servers = fc.dictionary(fc.constantFrom('s1', 's2', 's3', 's4'), fc.oneof(local, external), { maxKeys: 4 });

describe('ConfiguredBox', () => {
  test('has after any changes the state of a new box with the last configuration', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(servers, fc.array(servers, { minLength: 1, maxLength: 4 }), async (first, later) => {
        await withBox(first, async (configured) => {
          for (const next of later) {
            const { status, details } = await configured.reload(() => configuration(next));
            assert.notEqual(status, 'refused', details.join());
          }
          await withBox(later.at(-1) ?? {}, async (fresh) => {
            assert.deepEqual(stateOf(configured.box), stateOf(fresh.box));
          });
          const again = await configured.reload(() => configuration(later.at(-1) ?? {}));
          assert.deepEqual(again, { status: 'unchanged', details: [] });
        });
      }),
      { seed: 7, numRuns: 60 },
    );
  });

  test('rejects an invalid change as a whole, and reports it once', async () => {
    await withBox({ s1: { module: './tools.ts', export: 'one' } }, async (configured) => {
      const before = configured.box.catalog();
      const clash = {
        s2: { module: './tools.ts', export: 'one' },
        s1: { module: './tools.ts', export: 'one', tools: { rename: { a: 'b' } } },
      };
      const refused = await configured.reload(() => configuration(clash));
      assert.equal(refused.status, 'refused');
      assert.match(refused.details[0] ?? '', /tools "a" and "b" would both be named "mcp__s1__b"/);
      assert.equal(configured.box.catalog(), before);
      assert.deepEqual(configured.problem()?.details, refused.details);
      assert.equal((await configured.reload(() => configuration(clash))).status, 'unchanged');
      const back = await configured.reload(() => configuration({ s1: { module: './tools.ts', export: 'one' } }));
      assert.deepEqual([back.status, configured.problem()], ['applied', undefined]);
      assert.equal(configured.box.catalog(), before);
    });
  });

  test('reports the settings that take effect at the next start', async () => {
    await withBox({}, async (configured) => {
      const next = { ...configuration({}), results: { maxBytes: 1 }, builtinName: 'other' };
      const { details } = await configured.reload(() => next);
      assert.deepEqual(details, ['takes effect at the next start: results.maxBytes, builtin.name']);
    });
  });

  test('reshapes exactly the servers whose lock changed, and rejects an invalid lock', async (t) => {
    const file = join(directory, 'signalbox.lock');
    t.after(() => rmSync(file, { force: true }));
    const both = { s1: { module: './tools.ts', export: 'one' }, s2: { module: './tools.ts', export: 'two' } };
    await withBox(both, async (configured) => {
      const locked = lockOf(configured.sources()).servers.get('s1');
      assert.ok(locked);
      const read = (): Configuration => configuration(both);
      writeFileSync(
        file,
        printLock({ servers: new Map([['s1', { ...locked, tools: new Map([...locked.tools].slice(1)) }]]) }),
      );
      assert.deepEqual((await configured.reload(read)).details, ['reshaped s1']);
      const hidden = (): string[] => configured.box.catalog().hidden.map(({ name }) => name);
      assert.deepEqual(hidden(), ['mcp__s1__a']);
      writeFileSync(file, '{');
      const refused = await configured.reload(read);
      assert.equal(refused.status, 'refused');
      assert.match(refused.details[0] ?? '', /signalbox\.lock:1:\d+/);
      assert.deepEqual(hidden(), ['mcp__s1__a']);
      rmSync(file);
      await configured.reload(read);
      assert.deepEqual(hidden(), []);
    });
  });
});

test('changed rules take effect without a restart, and invalid rules leave the previous ones active', async () => {
  const rules = join(directory, 'policies.yaml');
  const write = (answer: string): void => writeFileSync(rules, `- { id: a, match: mcp__s1__a, ${answer} }\n`);
  const read = (): Configuration => ({
    ...configuration({ s1: { module: './tools.ts', export: 'one' } }),
    policies: { path: rules, name: 'policies.yaml' },
  });
  write('deny: true');
  const configured = await openBoxForDiagnosis(read(), { secretsFrom: directory });
  try {
    const outcome = async (): Promise<string> => (await configured.box.call('mcp__s1__a')).outcome;
    assert.equal(await outcome(), 'denied');
    write('deny: tru');
    const refused = await configured.reload(read);
    assert.deepEqual([refused.status, await outcome()], ['refused', 'denied']);
    assert.match(refused.details[0] ?? '', /policies\.yaml:1:37 .*Unknown variable: tru/);
    write('allow: true');
    assert.deepEqual((await configured.reload(read)).details, ['changed the policies']);
    assert.equal(await outcome(), 'completed');
  } finally {
    await configured.close();
  }
});

test('changed profiles take effect without a restart, and invalid profiles leave the previous ones active', () =>
  withBox({ s1: { module: './tools.ts', export: 'one' } }, async (configured) => {
    const read = (profiles: object) => (): Configuration =>
      parseConfiguration(
        JSON.stringify({ mcpServers: { s1: { module: './tools.ts', export: 'one' } }, profiles }),
        join(directory, 'signalbox.config.json'),
      );
    const outcome = async (): Promise<string> =>
      (await configured.box.call('mcp__s1__a', {}, { profile: 'p' })).outcome;
    assert.equal(await outcome(), 'denied');
    assert.deepEqual((await configured.reload(read({ p: {} }))).details, ['changed the profiles']);
    assert.equal(await outcome(), 'completed');
    assert.equal((await configured.reload(read({ p: { tool: ['!a'] } }))).status, 'refused');
    assert.equal(await outcome(), 'completed');
    await configured.reload(read({ p: { tools: ['!a'] } }));
    assert.equal(await outcome(), 'denied');
    assert.equal((await configured.reload(read({ p: { tools: ['!a'] } }))).status, 'unchanged');
  }));

test('labels of a server and of single tools are added to the labels of the tools', () =>
  withBox(
    { s1: { module: './tools.ts', export: 'one', labels: ['private'], tools: { labels: { b: ['external'] } } } },
    async ({ box }) => {
      const labels = box.tools().flatMap(({ id, labels: each }) => (id.server === 's1' ? [[id.tool, ...each]] : []));
      assert.deepEqual(labels, [
        ['a', 'private'],
        ['b', 'private', 'external'],
      ]);
    },
  ));
