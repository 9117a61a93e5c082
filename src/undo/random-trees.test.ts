import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { isFull } from '../../test/support/faults.ts';
import { memoryDirectory } from '../../test/support/memory-directory.ts';
import { runSeed, seeded } from '../../test/support/seeded.ts';
import { treeFingerprint } from '../../test/support/tree-fingerprint.ts';
import { UndoEngine } from './undo-engine.ts';

// Thousands of files are made lasting one by one.
const place = memoryDirectory('undo');
after(() => rmSync(place, { recursive: true, force: true }));

/** What symlinks out of the trees lead to. The commands write through them, so they must never lead to anything real. */
const outside = join(place, 'outside');
const trees = isFull() ? 1000 : 150;
const limits = { files: 10_000, bytes: 1e8, milliseconds: 60_000 };

describe('undo of shell commands', () => {
  test(`random trees changed by random shell commands are restored byte for byte`, { timeout: 900_000 }, (t) => {
    const seed = runSeed;
    const random = seeded(seed);
    mkdirSync(join(place, 'data'));
    mkdirSync(outside);
    writeFileSync(join(outside, 'file'), 'outside');
    const engine = new UndoEngine({ data: join(place, 'data'), limits, gone: [], engine: 'test' });
    let changed = 0;
    for (let round = 0; round < trees; round += 1) {
      const root = join(place, `tree-${round}`);
      mkdirSync(root);
      const shell = (commands: readonly string[]): void => {
        for (const each of commands) assertHarmless(each);
        execFileSync('/bin/bash', ['-c', commands.join('\n')], {
          cwd: root,
          env: { ...process.env, ROOT: root },
          stdio: 'ignore',
          timeout: 20_000,
        });
      };
      plant(root, random);
      const before = treeFingerprint(root);
      const commands = Array.from({ length: 1 + Math.floor(random() * 12) }, () => command(random));
      const call = `call_${round}`;
      engine.begin(call, [root]);
      shell([...commands, ':']);
      const now = existsSync(root) ? treeFingerprint(root, { times: false }) : new Map<string, string>();
      const { total } = engine.finish(call);
      const context = `seed ${seed}, tree ${round}:\n${commands.join('\n')}`;
      assert.equal(total > 0, !isEqual(now, treeless(before)), `changes are listed where there are any; ${context}`);
      if (total > 0) {
        changed += 1;
        const undone = engine.undo(call, false);
        assert.ok('outcome' in undone);
        assert.deepEqual(undone.conflicts, [], context);
        assert.deepEqual(treeFingerprint(root), before, context);
      }
      rmSync(root, { recursive: true });
    }
    t.diagnostic(`seed ${seed}: ${changed} of ${trees} trees were changed`);
    assert.ok(changed > trees / 2);
  });
});

const names = [
  'a',
  'b',
  'c.txt',
  'D',
  'd',
  '.hidden',
  'with space',
  'ü',
  String.raw`$'b\xff\xfe'`,
  '-dash',
  'node_modules',
];

function name(random: () => number): string {
  const picked = names[Math.floor(random() * names.length)] ?? 'a';
  return picked.startsWith('$') ? picked : `'${picked}'`;
}

function path(random: () => number): string {
  return `./${Array.from({ length: 1 + Math.floor(random() * 3) }, () => name(random)).join('/')}`;
}

function plant(root: string, random: () => number): void {
  for (let count = 5 + Math.floor(random() * 15); count > 0; count -= 1) {
    const target = Buffer.from(`${root}/${bytes(path(random))}`, 'latin1');
    const kind = random();
    try {
      mkdirSync(target.subarray(0, target.lastIndexOf('/')), { recursive: true });
      if (kind < 0.2) mkdirSync(target);
      else if (kind < 0.3) symlinkSync(Buffer.from(bytes(path(random)), 'latin1'), target);
      else if (kind < 0.35) symlinkSync(outside, target);
      else writeFileSync(target, kind < 0.4 ? randomBytes(70_000) : String(random()), { flag: 'wx' });
      if (kind >= 0.35) chmodSync(target, Number.parseInt(mode(random), 8));
    } catch (error) {
      // Something of another kind stands there already.
      assert.ok(error instanceof Error && 'code' in error);
    }
  }
}

/** The bytes that the shell makes of a path. */
function bytes(quoted: string): string {
  return Buffer.from(quoted.replaceAll(String.raw`$'b\xff\xfe'`, '\u0001').replaceAll("'", ''))
    .toString('latin1')
    .replaceAll('\u0001', 'b\u00ff\u00fe');
}

function mode(random: () => number): string {
  return ['644', '755', '600', '444', '000', '4755'][Math.floor(random() * 6)] ?? '644';
}

/** What happens to the tree itself; what comes after it works where the tree was. */
const rootCommands = [
  'rm -rf "$ROOT"',
  'rm -rf "$ROOT"; mkdir -m 700 "$ROOT"; echo new > "$ROOT"/a',
  'rm -rf "$ROOT"; echo file > "$ROOT"',
  `rm -rf "$ROOT"; ln -s ${outside} "$ROOT"`,
  'mv -T "$ROOT" "$ROOT-moved"; rm -rf "$ROOT-moved"',
  'chmod 500 "$ROOT"',
];

function command(random: () => number): string {
  const [one, other] = [path(random), path(random)];
  const commands = [
    `mv ${one} ${other}`,
    `mv -T ${one} ${other}`,
    `rm -rf ${one}`,
    `chmod ${mode(random)} ${one}`,
    `chmod -R ${mode(random)} ${one}`,
    `ln -s ${other} ${one}`,
    `ln -sfn ${outside}/file ${one}`,
    `truncate -s ${Math.floor(random() * 100)} ${one}`,
    `dd if=/dev/urandom of=${one} bs=1 count=10 seek=3 conv=notrunc`,
    `sed -i s/1/22/g ${one}`,
    `mkdir -p ${one}`,
    `touch -d 2001-01-01 ${one}`,
    `touch ${one}`,
    `cp -r ${one} ${other}`,
    `cp -p ${one} ${other}`,
    `echo more >> ${one}`,
    `echo new > ${one}`,
    `rm -rf ${one}; mkdir ${one}; echo inside > ${one}/a`,
    `rm -rf ${one}; echo file > ${one}`,
    `rmdir ${one}`,
    `ln ${one} ${other}; echo through the hard link >> ${other}`,
    `mkfifo ${one}; rm -f ${one}`,
    'find . -type f -exec chmod u+w {} +',
    ...(random() < 0.2 ? rootCommands : []),
  ];
  return commands[Math.floor(random() * commands.length)] ?? ':';
}

/** These commands are run for real, perhaps by the superuser: none may name anything but the tree and what belongs to this test. */
function assertHarmless(line: string): void {
  const named = line.replaceAll(outside, '').replaceAll(/\/dev\/urandom|['"]/g, '');
  assert.doesNotMatch(named, /(^|[\s=>(])\/(?!file )|\.\.|~/, `a command that could reach outside: ${line}`);
}

function treeless(fingerprint: Map<string, string>): Map<string, string> {
  return new Map([...fingerprint].map(([each, facts]) => [each, facts.replace(/ \d+(\.\d+)?(?= |$)/, '')]));
}

function isEqual(one: Map<string, string>, other: Map<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}
