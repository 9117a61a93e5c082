import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import type { JsonObject } from '../../src/core/json/json.ts';
import { type CallResult, createSignalbox, defineTool, localServer } from '../../src/index.ts';

interface Attacked {
  readonly ran: JsonObject[];
  call(args: JsonObject): Promise<CallResult>;
}

/** A box whose one tool, a read, runs unless a rule denies it. */
async function attacked(
  test_: TestContext,
  rules: readonly object[],
  workspace?: readonly string[],
): Promise<Attacked> {
  const ran: JsonObject[] = [];
  const run = defineTool({
    name: 'run',
    description: 'Runs.',
    input: { type: 'object' },
    effect: 'read',
    run(args: unknown) {
      ran.push(args as JsonObject);
      return 'done';
    },
  });
  const limits = workspace === undefined ? {} : { workspace };
  const box = await createSignalbox({
    servers: [localServer({ name: 'x', tools: [run], ...limits })],
    policies: [{ file: 'policies.yaml', text: JSON.stringify(rules) }],
  });
  test_.after(() => box.close());
  return { ran, call: (args) => box.call('mcp__x__run', args) };
}

function temporary(test_: TestContext): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-paths-')));
  test_.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('path(x) of a text that a tool may read in another way', () => {
  test('a relative path is an error where the directory that the tool was started in gives another answer', async (t) => {
    const root = temporary(t);
    mkdirSync(join(root, 'work'));
    writeFileSync(join(root, 'secret.txt'), '');
    const started = process.cwd();
    t.after(() => process.chdir(started));
    process.chdir(root);
    const outside = { id: 'out', match: '*', deny: `!path(args.p).within('${root}/work')` };
    const { call, ran } = await attacked(t, [outside], [join(root, 'work')]);
    const { outcome, decision } = await call({ p: 'secret.txt' });
    assert.equal(outcome, 'denied');
    assert.match(decision?.reason ?? '', /are not both inside or both outside/);
    assert.deepEqual(ran, []);
    assert.equal((await call({ p: join(root, 'work/a') })).outcome, 'completed');
    const elsewhere = { id: 'etc', match: '*', deny: `path(args.p).within('/etc')` };
    const other = await attacked(t, [elsewhere], [join(root, 'work')]);
    assert.equal((await other.call({ p: 'secret.txt' })).outcome, 'completed', 'the same answer from both');
  });

  test('a text that URL parsers or tools clean before they read it is an error', async (t) => {
    const root = temporary(t);
    mkdirSync(join(root, 'etc'));
    const { call, ran } = await attacked(
      t,
      [{ id: 'etc', match: '*', deny: `path(args.p).within('${root}/etc')` }],
      [root],
    );
    for (const p of [
      ` file://${root}/etc/key`,
      `\u0001file://${root}/etc/key`,
      `fi\tle://${root}/etc/key`,
      `fi\nle://${root}/etc/key`,
      `file://${root}/e\ttc/key`,
      `\ufefffile://${root}/etc/key`,
      ` ${root}/etc/key`,
      `${root}/etc/key\r\n`,
    ]) {
      const { outcome, decision } = await call({ p });
      assert.equal(outcome, 'denied', JSON.stringify(p));
      assert.match(decision?.reason ?? '', /has a control character or a space at an end/, JSON.stringify(p));
    }
    assert.deepEqual(ran, []);
  });
});
