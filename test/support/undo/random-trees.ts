import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UndoEngine } from '../../../src/workspace/undo-engine.ts';
import { runSeed, seeded } from '../seeded.ts';
import { treeFingerprint } from './tree-fingerprint.ts';

const limits = { files: 10_000, bytes: 1e8, milliseconds: 60_000 };

/**
 * Changes random trees by random shell commands and undoes the changes. Everything must come back byte for byte; only files that this
 * user could not read before may stay changed, and each of them must be reported. Returns how many trees were changed, and how
 * many of them had such a file.
 */
export function undoRandomTrees(directory: string, trees: number): { changed: number; reported: number } {
  const random = seeded(runSeed);
  // The commands write through symlinks out of the trees, so the targets must never be real files.
  const outside = join(directory, 'outside');
  mkdirSync(join(directory, 'data'));
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'outside');
  const engine = new UndoEngine({ data: join(directory, 'data'), limits });
  let [changed, reported] = [0, 0];
  for (let round = 0; round < trees; round += 1) {
    const root = join(directory, `tree-${round}`);
    mkdirSync(root);
    fillTree(root, outside, random);
    const before = treeFingerprint(root);
    const unread = unreadFiles(before);
    const commands = Array.from({ length: 1 + Math.floor(random() * 12) }, () => randomCommand(outside, random));
    const call = `call_${round}`;
    engine.begin(call, [root]);
    runInTree(root, outside, commands);
    const now = existsSync(root) ? treeFingerprint(root, { times: false }) : new Map<string, string>();
    const { total } = engine.finish(call);
    const context = `seed ${runSeed}, tree ${round}:\n${commands.join('\n')}`;
    const isChanged = !isEqual(now, timeless(before));
    // The time of an unread file may be the only evidence of a change of its content.
    if (unread.size === 0 || isChanged)
      assert.equal(total > 0, isChanged, `changes are listed if there are any; ${context}`);
    if (total > 0) {
      changed += 1;
      const undone = engine.undo(call, false);
      assert.ok('outcome' in undone);
      if (undone.outcome === 'conflict') {
        reported += 1;
        assert.ok(unread.size > 0, `${JSON.stringify(undone.conflicts)}; ${context}`);
        assertRestoredExceptUnread(engine, call, root, before, unread, context);
      } else {
        assert.deepEqual(undone.conflicts, [], context);
        assert.deepEqual(treeFingerprint(root), before, context);
      }
    }
    removeTree(root);
  }
  return { changed, reported };
}

/**
 * Undoes everything possible, and compares everything except unreadable files, their directories, and the paths that unreadable files
 * were moved to: the undo must not replace the only copy of a file.
 */
function assertRestoredExceptUnread(
  engine: UndoEngine,
  call: string,
  root: string,
  before: ReadonlyMap<string, string>,
  unread: ReadonlySet<string>,
  context: string,
): void {
  const undone = engine.undo(call, true);
  assert.ok('outcome' in undone);
  const restored = treeFingerprint(root);
  const fingerprintPath = (each: string): string => (each === '.' ? '' : `/${byteName(each)}`);
  const reported = new Set(undone.conflicts.map(({ path: each }) => fingerprintPath(each)));
  const onlyCopies = new Set(
    undone.conflicts.flatMap(({ path: each, reason }) => {
      const original = /^it is (.*), which could not be read before the call$/.exec(reason)?.[1];
      return original !== undefined && unread.has(fingerprintPath(original)) ? [fingerprintPath(each)] : [];
    }),
  );
  const isExcused = (each: string): boolean => [...reported].some((at) => at === each || at.startsWith(`${each}/`));
  for (const [each, facts] of before) {
    if (restored.get(each) === facts) continue;
    const isLostFile = unread.has(each) && reported.has(each);
    const isHolder = !unread.has(each) && isExcused(each) && withoutTime(restored.get(each)) === withoutTime(facts);
    assert.ok(
      isLostFile || isHolder || onlyCopies.has(each),
      `${each}: ${facts} became ${restored.get(each)}; ${context}`,
    );
  }
  for (const each of restored.keys()) assert.ok(before.has(each) || isExcused(each), `${each} is left; ${context}`);
}

/** File names are text in reports, but bytes in fingerprints. */
function byteName(shown: string): string {
  return Buffer.from(shown).toString('latin1').replaceAll('b\u00ef\u00bf\u00bd\u00ef\u00bf\u00bd', 'b\u00ff\u00fe');
}

function unreadFiles(fingerprint: ReadonlyMap<string, string>): ReadonlySet<string> {
  if (process.getuid?.() === 0) return new Set();
  const isUnread = ([, facts]: [string, string]): boolean => /^10\d[0-3]/.test(facts);
  return new Set([...fingerprint].filter(isUnread).map(([each]) => each));
}

/** Removes a tree whose directories may deny access to their owner. */
export function removeTree(root: string): void {
  if (existsSync(root)) execFileSync('chmod', ['-R', 'u+rwx', root], { stdio: 'ignore' });
  rmSync(root, { recursive: true, force: true });
}

function timeless(fingerprint: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...fingerprint].map(([each, facts]) => [each, withoutTime(facts) ?? '']));
}

function withoutTime(facts: string | undefined): string | undefined {
  return facts?.replace(/ \d+(\.\d+)?(?= |$)/, '');
}

function isEqual(one: Map<string, string>, other: Map<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value);
}

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

/** Fills a new tree with random files, directories and symlinks, some of which lead to `outside`. */
function fillTree(root: string, outside: string, random: () => number): void {
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
      // The path already holds an entry of another kind.
      assert.ok(error instanceof Error && 'code' in error);
    }
  }
}

/** Returns the bytes that the shell produces for a path. */
function bytes(quoted: string): string {
  return Buffer.from(quoted.replaceAll(String.raw`$'b\xff\xfe'`, '\u0001').replaceAll("'", ''))
    .toString('latin1')
    .replaceAll('\u0001', 'b\u00ff\u00fe');
}

function mode(random: () => number): string {
  return ['644', '755', '600', '444', '000', '4755'][Math.floor(random() * 6)] ?? '644';
}

/** Commands that change the tree itself; later commands run where the tree was. */
const rootCommands = (outside: string): readonly string[] => [
  'rm -rf "$ROOT"',
  'rm -rf "$ROOT"; mkdir -m 700 "$ROOT"; echo new > "$ROOT"/a',
  'rm -rf "$ROOT"; echo file > "$ROOT"',
  `rm -rf "$ROOT"; ln -s ${outside} "$ROOT"`,
  'mv -T "$ROOT" "$ROOT-moved"; rm -rf "$ROOT-moved"',
  'chmod 500 "$ROOT"',
];

/** A random shell command that changes something below the working directory, or `$ROOT` itself. */
function randomCommand(outside: string, random: () => number): string {
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
    ...(random() < 0.2 ? rootCommands(outside) : []),
  ];
  return commands[Math.floor(random() * commands.length)] ?? ':';
}

/** Runs commands in a tree. The exit code of the commands does not matter. */
function runInTree(root: string, outside: string, commands: readonly string[]): void {
  for (const each of commands) assertHarmless(each, outside);
  execFileSync('/bin/bash', ['-c', [...commands, ':'].join('\n')], {
    cwd: root,
    env: { ...process.env, ROOT: root },
    stdio: 'ignore',
    timeout: 20_000,
  });
}

/** The commands are executed, perhaps as root, so they must not refer to anything outside the tree and the test's directory. */
function assertHarmless(line: string, outside: string): void {
  const named = line.replaceAll(outside, '').replaceAll(/\/dev\/urandom|['"]/g, '');
  assert.doesNotMatch(named, /(^|[\s=>(])\/(?!file )|\.\.|~/, `a command that could reach outside: ${line}`);
}
