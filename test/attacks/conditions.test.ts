import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { JsonObject } from '../../src/core/json/json.ts';
import { ConditionInput, ToolView } from '../../src/policy/conditions/condition-input.ts';
import { WindowMeters } from '../../src/policy/conditions/condition-language.ts';
import { ConditionCompiler } from '../../src/policy/conditions/condition.ts';
import { WorkBudget, maxWork } from '../../src/policy/conditions/work-budget.ts';
import { isInside } from '../../src/policy/conditions/functions/path-location.ts';
import { Facts } from '../../src/policy/facts/facts.ts';
import { largeValues, slowConditions } from '../policy/adversarial-conditions.ts';
import { createAttackedBox } from './attacked-box.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const overBudget = /the decision would take too much processor time/;

describe('expensive condition on large arguments', () => {
  const text = 'a'.repeat(1_000_000);
  const part = `${'a'.repeat(50_000)}b${'a'.repeat(50_000)}`;
  const items = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);
  // Together below 64 KiB, the size from which an earlier version rejected loops.
  const word = 'a'.repeat(12_000);
  const list = Array.from({ length: 10_000 }, (_, index) => index);
  const attacks: readonly (readonly [string, JsonObject])[] = [
    ['args.list.all(x, x in args.list)', { list }],
    ['args.list.exists(x, args.list.exists(y, x == y && x != y))', { list }],
    ['args.text.contains(args.part)', { text, part }],
    ['args.text.like(args.part)', { text, part: `*${part}*` }],
    ["args.word.split('').all(x, !(x in args.list))", { word, list }],
    ['args.list.all(x, args.word.lowerAscii() == args.word)', { word, list }],
    ['args.items.map(x, args.items) == args.items.map(x, [args.items])', { items }],
    ['args.items.all(x, x.gone || x.lost || x.missing)', { items }],
    ['args.items.all(x, now.getHours(args.zone) >= 0)', { items, zone: 'Europe/Berlin' }],
    ['(args.text + args.text + args.text + args.text).contains(args.text)', { text }],
    ["shell(args.text).commands.all(c, c.name == 'git')", { text: '$('.repeat(8000) }],
    ["args.items.all(x, !path('/a/b').within('/etc'))", { items }],
  ];
  for (const [condition, args] of attacks)
    test(`is denied with the reason, in allow and deny rules: ${condition}`, async (t) => {
      for (const answer of ['allow', 'deny']) {
        const { call, ran } = await createAttackedBox(t, [{ id: 'slow', match: 'mcp__x__run', [answer]: condition }]);
        const { outcome, decision } = await call(args);
        assert.deepEqual([outcome, decision?.answer, decision?.rule], ['denied', 'deny', 'slow']);
        assert.match(decision?.reason ?? '', overBudget);
        assert.deepEqual(ran, []);
      }
    });

  test('all rules of a call share one budget', async (t) => {
    const rules = Array.from({ length: 40 }, (_, index) => ({
      id: `rule-${index}`,
      match: 'mcp__x__run',
      allow: `args.text.contains('needle ${index}') || true`,
    }));
    const one = await createAttackedBox(t, rules.slice(0, 1));
    assert.equal((await one.call({ text: 'a'.repeat(200_000) })).outcome, 'completed');
    const all = await createAttackedBox(t, rules);
    assert.match((await all.call({ text: 'a'.repeat(200_000) })).decision?.reason ?? '', overBudget);
  });

  test('a part over budget denies even if another part is true', async (t) => {
    const condition = 'args.text.contains(args.part) || true';
    const { call } = await createAttackedBox(t, [{ id: 'slow', match: 'mcp__x__run', allow: condition }]);
    assert.match((await call({ text, part })).decision?.reason ?? '', overBudget);
  });

  test('a budget rule denies if its cost is too expensive to compute', async (t) => {
    const each = 'double(args.list.filter(x, x in args.list).size())';
    const { call } = await createAttackedBox(t, [
      { id: 'cost', budget: { match: 'mcp__x__run', each, cost: 5, per: '1h' } },
    ]);
    assert.match((await call({ list })).decision?.reason ?? '', overBudget);
  });

  test('the charged work depends only on the values: the same call costs the same each time', async (t) => {
    const { box } = await createAttackedBox(t, []);
    const [definition] = box.tools();
    assert.ok(definition);
    const kinds = Object.keys(largeValues);
    for (const [index, condition] of slowConditions.entries()) {
      const { value } = new ConditionCompiler(new WindowMeters()).condition(condition);
      if (value === undefined) {
        assert.match(condition, /args\.in\b/, 'only a reserved word prevents a condition from compiling');
        continue;
      }
      const kindOf = (offset: number): JsonObject[string] =>
        largeValues[kinds[(index * 3 + offset) % kinds.length] ?? '']?.() ?? null;
      const args = { a: kindOf(0), b: kindOf(1), c: kindOf(2), list: kindOf(3), in: kindOf(4) };
      const size = JSON.stringify(args).length;
      const call = {
        id: 'c',
        at: 0,
        arguments: args,
        size,
        principal: { id: 'p', kind: 'agent' as const },
        session: 's',
      };
      const left = [1, 2].map(() => {
        const work = new WorkBudget(size);
        try {
          value.holds(
            new ConditionInput(
              call,
              new ToolView(definition),
              new Facts({ meters: [], tracks: [], trackedLabels: [] }),
              work,
            ),
          );
        } catch {
          // Work before a failure counts as well.
        }
        return work.left;
      });
      assert.equal(left[0], left[1], condition);
      assert.ok((left[0] ?? 0) < maxWork, condition);
    }
  });
});

describe('ordinary conditions on large arguments', () => {
  test('are evaluated: a megabyte of text, a list of ten thousand items', async (t) => {
    const { call } = await createAttackedBox(t, [
      { id: 'text', match: 'mcp__x__run', deny: "args.text.contains('BEGIN PRIVATE KEY')" },
      { id: 'list', match: 'mcp__x__run', deny: 'args.list.exists(x, x > 10000)' },
      { id: 'key', match: 'mcp__x__run', deny: "'force' in args || has(args.options.force)" },
    ]);
    const list = Array.from({ length: 10_000 }, (_, index) => index);
    const args = { text: 'a'.repeat(1_000_000), list, options: {} };
    assert.equal((await call(args)).outcome, 'completed');
    assert.equal((await call({ ...args, list: [...list, 10_001] })).decision?.rule, 'list');
    assert.equal((await call({ ...args, text: `${args.text} BEGIN PRIVATE KEY` })).decision?.rule, 'text');
  });
});

describe('string functions of conditions', () => {
  test('lowerAscii and upperAscii fold only A–Z: no other letter becomes an ASCII letter', async (t) => {
    const { call } = await createAttackedBox(t, [
      { id: 'lower', match: '*', deny: "args.name.lowerAscii() == 'kiss'" },
      { id: 'upper', match: '*', deny: "args.name.upperAscii() == 'MASSE'" },
      { id: 'slow', match: '*', deny: "args.name.lowerAscii().split('-')[0] == 'i'" },
    ]);
    for (const name of ['KISS', 'kiss', 'KiSs']) assert.equal((await call({ name })).decision?.rule, 'lower');
    // Kelvin sign, long s, sharp s, dotted capital I, dotless small i.
    for (const name of ['\u212Aiss', 'ki\u017Fs', 'ma\u00DFe', '\u0130', '\u0131'])
      assert.equal((await call({ name })).outcome, 'completed', name);
    assert.equal((await call({ name: 'masse' })).decision?.rule, 'upper');
    assert.equal((await call({ name: 'I' })).decision?.rule, 'slow');
  });

  test('split divides text into code points, not into UTF-16 units', async (t) => {
    const { call } = await createAttackedBox(t, [{ id: 'two', match: '*', deny: "args.name.split('').size() == 2" }]);
    assert.equal((await call({ name: '𝄞𝄞' })).decision?.rule, 'two');
  });
});

describe('path(x).within(dir)', () => {
  test('resolves //, ., .., trailing slashes, links and file: URLs', async (t) => {
    const root = temporaryDirectory(t);
    for (const name of ['work', 'work/sub', 'etc']) mkdirSync(join(root, name));
    writeFileSync(join(root, 'etc/passwd'), 'x');
    symlinkSync(join(root, 'etc'), join(root, 'work/link'));
    const { call } = await createAttackedBox(t, [
      { id: 'etc', match: '*', deny: `path(args.p).within('${root}/etc')` },
    ]);
    const inside = [
      `${root}/etc`,
      `${root}/etc/`,
      `${root}//etc///passwd`,
      `${root}/./etc/./passwd`,
      `${root}/work/../etc/passwd`,
      `${root}/work/sub/../../etc/missing/deep`,
      `${root}/work/link/passwd`,
      `${root}/work/link/not-there-yet`,
      `file://${root}/etc/passwd`,
      `FILE://${root}/%65tc/passwd`,
    ];
    for (const p of inside) {
      const { outcome, decision } = await call({ p });
      assert.deepEqual([outcome, decision?.reason], ['denied', `path(args.p).within('${root}/etc')`], p);
    }
    for (const p of [`${root}/etcetera`, `${root}/work/sub`, root, `${root}/work/etc`, '/'])
      assert.equal((await call({ p })).outcome, 'completed', p);
  });

  test('denies a text that is not one unambiguous path, in allow, deny and ask rules', async (t) => {
    const root = temporaryDirectory(t);
    for (const name of ['work', 'secret']) mkdirSync(join(root, name));
    mkdirSync(join(root, 'secret/inner'));
    symlinkSync(join(root, 'secret/inner'), join(root, 'work/out'));
    symlinkSync(join(root, 'work'), join(root, 'secret/back'));
    symlinkSync(join(root, 'nowhere'), join(root, 'work/dangling'));
    symlinkSync(join(root, 'work/loop'), join(root, 'work/loop'));
    const uncertain = [
      'relative/path',
      '~/x',
      '~root/x',
      '',
      `${root}/work/a\0b`,
      'https://example.com/x',
      'file://elsewhere/x',
      `file://${root}/a%2fb`,
      `/${'a/'.repeat(3000)}`,
      42,
      null,
      ['/etc'],
      // The link itself is in one directory, its target in another.
      `${root}/work/out`,
      // A tool that resolves names first reads work/x, the operating system reads secret/x.
      `${root}/work/out/../x`,
      `${root}/work/dangling`,
      `${root}/work/loop`,
      // A tool that treats the text as a plain path, or cuts it at "?" or "#", opens another file.
      `file://${root}/work/a#/../../etc/hostname`,
      `file://${root}/work/a?/../../etc/hostname`,
      `file://${root}/work/%2e%2e/x`,
      // These refer to a different file in each process.
      ...(process.platform === 'linux'
        ? ['/proc/self/cwd/x', '/proc/thread-self/root/x', '/proc/1/root/x', '/dev/fd/3']
        : []),
    ];
    for (const answer of ['allow', 'deny', 'ask']) {
      const { call, ran } = await createAttackedBox(t, [
        { id: 'p', match: '*', [answer]: `path(args.p).within('${root}/work')` },
      ]);
      for (const p of uncertain) {
        const { outcome, decision } = await call({ p });
        assert.equal(outcome, 'denied', `${answer} ${String(p)}`);
        assert.match(decision?.reason ?? '', /^the rule cannot be evaluated: /, String(p));
      }
      assert.deepEqual(ran, []);
    }
  });

  test('resolves relative paths against the only workspace of the server', async (t) => {
    const root = temporaryDirectory(t);
    mkdirSync(join(root, 'work'));
    const { call, box } = await createAttackedBox(
      t,
      [{ id: 'out', match: '*', deny: `!path(args.p).within('${root}/work')` }],
      [join(root, 'work')],
    );
    const previousDirectory = process.cwd();
    t.after(() => process.chdir(previousDirectory));
    process.chdir(join(root, 'work'));
    assert.equal((await call({ p: 'a/b.txt' })).outcome, 'completed');
    assert.equal((await call({ p: '../other' })).outcome, 'denied');
    // A backtest of the recorded calls makes the same decisions.
    const rule = { id: 'out', match: '*', deny: `!path(args.p).within('${root}/work')` };
    assert.deepEqual((await box.policies.backtest([rule])).changed, []);
  });

  test('rejects a relative path if the directory of the process gives another answer than the workspace', async (t) => {
    const root = temporaryDirectory(t);
    mkdirSync(join(root, 'work'));
    writeFileSync(join(root, 'secret.txt'), '');
    const previousDirectory = process.cwd();
    t.after(() => process.chdir(previousDirectory));
    process.chdir(root);
    const outside = { id: 'out', match: '*', deny: `!path(args.p).within('${root}/work')` };
    const { call, ran } = await createAttackedBox(t, [outside], [join(root, 'work')]);
    const { outcome, decision } = await call({ p: 'secret.txt' });
    assert.equal(outcome, 'denied');
    assert.match(decision?.reason ?? '', /are not both inside or both outside/);
    assert.deepEqual(ran, []);
    assert.equal((await call({ p: join(root, 'work/a') })).outcome, 'completed');
    const etc = { id: 'etc', match: '*', deny: `path(args.p).within('/etc')` };
    const other = await createAttackedBox(t, [etc], [join(root, 'work')]);
    assert.equal((await other.call({ p: 'secret.txt' })).outcome, 'completed', 'both directories give the same answer');
  });

  test('rejects a text that URL parsers or tools clean before they read it', async (t) => {
    const root = temporaryDirectory(t);
    mkdirSync(join(root, 'etc'));
    const { call, ran } = await createAttackedBox(
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
      assert.match(
        decision?.reason ?? '',
        /contains a control character, or begins or ends with a space/,
        JSON.stringify(p),
      );
    }
    assert.deepEqual(ran, []);
  });

  test('ignores case where the file system does', () => {
    assert.equal(isInside('/Users/x/.SSH/key', '/Users/x/.ssh', true), true);
    assert.equal(isInside('/Users/x/.SSH/key', '/Users/x/.ssh', false), false);
    assert.equal(isInside('/Users/x/.sshd', '/Users/x/.ssh', true), false);
  });
});
