import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, suite, test } from 'node:test';
import { type Attempt, GuardedBox, assertAsked, assertDenied, assertRan } from '../support/boxes/guarded-box.ts';

type Run = (command: string) => Promise<Attempt>;
type Shell = 'a tool that runs commands' | 'Bash';

/** Opens a box whose project has the directories `src/a/b/c` and `lib`. */
async function openBox(t: TestContext): Promise<GuardedBox> {
  return await GuardedBox.open(t, {
    more: { 'src/a/b/c/x.txt': '', 'lib/x.txt': '', 'my dir/x.txt': '', 'packages/p/src/x.txt': '' },
  });
}

function shellOf(guarded: GuardedBox, shell: Shell): Run {
  return shell === 'Bash'
    ? (command) => guarded.claude('Bash', { command })
    : (command) => guarded.call('mcp__notes__run', { command });
}

/** Runs commands of which only the last one may be denied or ask. */
async function runAll(run: Run, commands: readonly string[]): Promise<Attempt> {
  for (const command of commands.slice(0, -1)) assertRan(await run(command), command);
  return await run(commands.at(-1) ?? '');
}

suite('file guard against the directory of an earlier call', () => {
  const denied: Readonly<Record<string, (guarded: GuardedBox) => readonly string[]>> = {
    'climbs from it': () => ['cd src/a/b', 'cat ../../../../home/.signalbox/token'],
    'climbs from it to the name of the directory': () => ['cd src/a/b', 'ls ../../../../../.signalbox'],
    'changes it step by step': () => ['cd src/a', 'cd ..', 'cd ..', 'cd ..', 'cd home', 'cat .signalbox/token'],
    'changes it step by step with options': () => [
      'cd -P -- ..',
      'builtin cd ..',
      'pushd home',
      'cat .signalbox/token',
    ],
    'changes it by an absolute name': ({ data }) => [`cd ${dirname(data)}`, 'cat .signalbox/token'],
    'changes it on Windows': () => ['Set-Location ..', 'pushd .\\home', String.raw`type .\.signalbox\token`],
    'gives it to a program': () => ['cd src/a', 'env --chdir=../../.. cat home/.signalbox/token'],
    'goes above it and back': ({ data }) => ['cd /', `cat .${data}/token`],
    'enters a directory that it creates': () => [
      'mkdir -p new/deep && cd new/deep',
      'cd ../../..',
      'cd ./home/.',
      'cat ./.signalbox/token',
    ],
    'enters a directory with a space in its name': () => ['cd "my dir"', 'cd ../../home', 'cat .signalbox/token'],
    'goes up through links': ({ project }) => {
      symlinkSync(dirname(project), join(project, 'lib/up'));
      return ['cd lib', 'cat up/home/.signalbox/token'];
    },
    'goes up through links in two steps': ({ project }) => {
      symlinkSync(dirname(project), join(project, 'lib/up'));
      return ['cd lib', 'cd up', 'cat home/.signalbox/token'];
    },
    'changes it by quoted names': () => ['c\'\'d ".."', String.raw`cd $'\x2e'/home`, 'cat .signalbox/token'],
    'changes it in other languages': () => ["import os; os.chdir('..')", "eval 'cd home'", 'cat .signalbox/token'],
    'uses backslashes': () => ['cd src/a/b', String.raw`type ..\..\..\..\home\.signalbox\token`],
    'uses another case': () => ['cd src/a/b', 'cat ../../../../HOME/.SignalBox/token'],
    'uses ignorable characters': () => ['cd src/a/b', 'cat ../../../../home/.signal\u200bbox/token'],
    'percent-encodes the name': () => ['cd src/a/b', 'open file:../../../../home/%2esignalbox/token'],
    'starts from a variable': () => ['X=$(cd ..; pwd)', 'cat "$X"/home/.signalbox/token ${X}/.signalbox/token'],
    'goes through a directory that does not exist': () => [
      'cd src/a/b',
      'cat none/../../../../../home/./.signalbox//token',
    ],
  };
  for (const [label, commandsOf] of Object.entries(denied))
    test(`denies a command that ${label}`, async (t) => {
      const guarded = await openBox(t);
      const commands = commandsOf(guarded);
      // Each of the two servers has its own directories.
      for (const shell of ['a tool that runs commands', 'Bash'] as const)
        assertDenied(await runAll(shellOf(guarded, shell), commands), shell);
    });

  test('asks for a command that starts from the home directory of an earlier call', async (t) => {
    const guarded = await openBox(t);
    const { HOME } = process.env;
    process.env['HOME'] = dirname(guarded.data);
    t.after(() => {
      if (HOME === undefined) delete process.env['HOME'];
      else process.env['HOME'] = HOME;
    });
    const run = shellOf(guarded, 'Bash');
    assertAsked(await runAll(run, ['cd', 'cp -r . /elsewhere']), 'cd');
  });

  const asked: Readonly<Record<string, readonly string[]>> = {
    'a path that climbs to a protected file': ['cd src/a/b', 'printf x >> ../../../rules/policies.yaml'],
    'a path that climbs by less than the whole project': ['cd rules', 'printf x >> ../tools/notes.mjs'],
    'a name in a directory of an earlier call': ['cd rules', 'printf x >> policies.yaml'],
    'a name after single steps': ['cd src', 'cd ../tools', 'printf x >> notes.mjs'],
    'a removal of its own directory': ['cd rules', 'rm -rf ../rules'],
    'a move from the directory above': ['cd ..', 'mv project other'],
    'a copy of a directory above the data directory': ['cd ..', 'cp -r home /tmp/copy'],
    'a copy of its own directory': ['cd ..', 'cd home', 'cp -r . /tmp/copy'],
    'a copy after changes in one command': ['cd src && cd ../..', 'cp -r home /tmp/copy'],
  };
  for (const [label, commands] of Object.entries(asked))
    test(`asks for ${label}`, async (t) => {
      const guarded = await openBox(t);
      const run = shellOf(guarded, 'a tool that runs commands');
      const last = commands.at(-1) ?? '';
      for (const command of commands.slice(0, -1)) await run(command);
      assertAsked(await run(last), label);
    });

  test('applies to directories in arguments, to tools with other keys, and to every caller of the server', async (t) => {
    const guarded = await openBox(t);
    const { data } = guarded;
    assertRan(await guarded.call('mcp__notes__read', { directory: dirname(data) }), 'a read that names a directory');
    assertDenied(await guarded.call('mcp__notes__read', { input: 'cat .signalbox/token' }), 'another read');
    assertDenied(await guarded.call('mcp__notes__read', { path: '.signalbox' }), 'a bare name');
    const principal = { id: 'another', kind: 'agent' } as const;
    const { decision } = await guarded.box.call('mcp__notes__run', { text: 'cat .signalbox/token' }, { principal });
    assert.equal(decision?.rule, 'default:data-directory', 'another principal');
    assertRan(await guarded.call('mcp__files__write_file', { path: '.signalbox.txt', content: '' }), 'another server');
    const other = await openBox(t);
    for (const input of ['cd ..', 'cd home\n']) assertRan(await other.call('mcp__notes__run', { input }), input);
    assertDenied(await other.call('mcp__notes__run', { input: 'cat .signalbox/token\n' }), 'lines of a terminal');
  });

  test('a link in a directory of an earlier call is followed', async (t) => {
    const guarded = await openBox(t);
    symlinkSync(guarded.data, join(guarded.project, 'packages/p/notes'));
    assertRan(await guarded.call('mcp__notes__read', { directory: 'packages/p' }), 'the directory');
    assertDenied(await guarded.call('mcp__notes__read', { name: 'notes' }), 'a bare name');
    assertDenied(await guarded.call('mcp__notes__run', { command: 'cat notes/token' }), 'a command');
  });

  test('with too many directories, a name is judged by its end', async (t) => {
    const guarded = await openBox(t);
    const { project, data } = guarded;
    const names = Array.from({ length: 300 }, (_, index) => join(project, `many/d${index}`));
    for (const each of names) mkdirSync(each, { recursive: true });
    for (const path of names) await guarded.call('mcp__notes__read', { path });
    assertRan(await guarded.call('mcp__notes__run', { command: `cd ${dirname(dirname(data))}` }), 'a change');
    assertDenied(await guarded.call('mcp__notes__run', { command: 'cat home/.signalbox/token' }), 'the data directory');
    assertAsked(await guarded.call('mcp__notes__run', { command: 'echo x > policies.yaml' }), 'a protected file');
    for (const command of ['cat src/a.txt', 'npm test -- d1 d2/x', 'git add . && git commit -m x', 'cat d1/../d2/x'])
      assertRan(await guarded.call('mcp__notes__run', { command }), command);
  });

  test('ordinary relative paths in a workspace do not ask', async (t) => {
    const guarded = await openBox(t);
    for (const path of ['rules', 'tools', 'src', 'lib', '..']) await guarded.call('mcp__notes__read', { path });
    const commands = [
      'grep -rn x . && git add . && mv src/none.txt .',
      'cd src/a/b && ls',
      'cat ../x.txt ../../a.txt',
      'cd ..',
      'grep -rn "x" ../.. | head -20',
      'cd packages/p && npm test && cd -',
      'cat src/x.txt && mv src/x.txt src/y.txt && rm -rf dist',
      'node ../../../lib/x.txt > ../out.txt 2>&1',
      'git -C ../p status && make -C ../.. all',
      'cp -r src lib && rm -r lib/src',
      'node -e "import(\'../../lib/x.txt\')"',
      'cd src && cd ..',
      'grep -rn rm . | head',
      'rg mv src',
      `echo ${'word '.repeat(300)}`,
    ];
    for (let round = 0; round < 2; round += 1)
      for (const command of commands) {
        assertRan(await guarded.call('mcp__notes__run', { command }), command);
        assertRan(await guarded.claude('Bash', { command }), command);
      }
  });
});
