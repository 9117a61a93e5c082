import { dirname, join, relative } from 'node:path';
import { after, suite, test } from 'node:test';
import { type Attempt, GuardedBox, assertAsked, assertDenied, assertRan } from '../support/boxes/guarded-box.ts';

const toolNames = ['delete_directory', 'DeleteDirectory', 'fileDelete', 'move_file', 'MoveFile', 'deletefile'];
const guarded = await GuardedBox.open(
  { after },
  {
    servers: { moves: { module: './moves/moves.mjs' } },
    more: {
      'moves/moves.mjs': `export default ${JSON.stringify(toolNames)}.map((name) => ({
        name, description: 'Moves.', effect: 'irreversible', input: { type: 'object' }, run: () => 'done' }));\n`,
    },
  },
);
const { data, project } = guarded;
const parent = dirname(data);
const run = (command: string): Promise<Attempt> => guarded.call('mcp__notes__run', { command });

suite('file guard against hidden sources of a move, copy or link', () => {
  test('a destination in an option does not hide the source of a copy or move', async () => {
    const commands = [
      `cp -rt/tmp/dst ${parent}`,
      `cp -r --target=/tmp/dst ${parent}`,
      `cp -r --target /tmp/dst ${parent}`,
      `cp -r --t /tmp/dst ${parent}`,
      `cp -r "--target-directory" /tmp/dst ${parent}`,
      `cp -r -"t" /tmp/dst ${parent}`,
      `cp ${parent} -vrt/tmp/dst`,
      `mv -t/tmp/dst ${parent}`,
      `rsync --archive ${parent} /tmp/dst`,
      `Copy-Item -Recurse -Destination /tmp/dst -Path ${parent}`,
      `rm -r --preserve-root=${parent}`,
    ];
    for (const command of commands) {
      assertDenied(await run(command), command);
      assertDenied(await guarded.claude('Bash', { command }), command);
    }
    for (const command of ['mv -t/tmp/dst rules', 'mv --targ /tmp/dst rules', 'mv -vt /elsewhere rules'])
      assertAsked(await run(command), command);
  });

  test('redirections, wrappers and other positions of operands do not hide the source', async () => {
    const commands = [
      `rm>/dev/null -rf ${parent}`,
      `cp</dev/null -r ${parent} x`,
      `env -u mv rm -rf ${parent}`,
      `sudo -u mv rm -rf ${parent}`,
      `cp -r -- a ${parent} -x`,
      `rename home h2 ${parent}`,
      `xcopy ${parent} x`,
    ];
    for (const command of commands) assertDenied(await run(command), command);
  });

  test('a program and its operands in several strings count as one command', async () => {
    for (const args of [
      { command: 'rm', args: ['-rf', parent] },
      { args: ['cp', '-r', parent, 'x'] },
      { command: ['mv', parent, 'x'] },
      { command: 'rm -rf', path: parent },
      { cmd: '/bin/mv', args: [parent, '/tmp/q'] },
    ])
      assertDenied(await guarded.call('mcp__notes__run', args), JSON.stringify(args));
    assertAsked(await guarded.call('mcp__notes__run', { command: 'mv', args: ['rules', '/tmp/q'] }), 'protected files');
    for (const args of [
      { command: 'rm -rf dist', cwd: project },
      { command: 'cp', args: ['src/a.txt', project] },
      { command: 'ls', path: project },
    ])
      assertRan(await guarded.call('mcp__notes__run', args), JSON.stringify(args));
  });

  test('a copy or move into a directory with protected files does not ask', async () => {
    const commands = [
      `cp -r src/a.txt ${project}`,
      `mv src/none.txt .`,
      `rsync -rt src/ ${project}`,
      'ln -s src/a.txt src/b.txt',
      'cp -t src src/a.txt',
    ];
    for (const command of commands) assertRan(await run(command), command);
  });

  test('a link to a directory, or a mount of it, counts as a move of it', async () => {
    const commands = [
      `ln -s ${parent} /tmp/l1; cat /tmp/l1/.signalbox/token`,
      `ln -s ${parent}`,
      `ln -st /tmp ${parent}`,
      `ln -s ${relative(join(project, 'src'), parent)} src/l2 && cat src/l2/.signalbox/token`,
      `sudo mount --bind ${parent} /mnt && cat /mnt/.signalbox/token`,
      `mount -o bind ${parent} /mnt`,
      `cmd /c mklink /D l3 ${parent} x`,
    ];
    for (const command of commands) assertDenied(await run(command), command);
    assertAsked(await run('ln -s rules src/l4; echo > src/l4/policies.yaml'), 'a link to protected files');
  });
});

suite('file guard against the names of tools that move or delete', () => {
  test('every argument of a tool that deletes counts, and a destination only counts as one next to a source', async () => {
    const rules = join(project, 'rules');
    for (const tool of toolNames)
      for (const args of [{ target: project }, { to: project }, { new: project }, { Target: project }]) {
        assertAsked(await guarded.call(`mcp__moves__${tool}`, args), `${tool} ${JSON.stringify(args)}`);
        const [key = ''] = Object.keys(args);
        assertDenied(await guarded.call(`mcp__moves__${tool}`, { [key]: parent }), `${tool} ${key}`);
      }
    for (const tool of ['move_file', 'MoveFile']) {
      const name = `mcp__moves__${tool}`;
      assertAsked(await guarded.call(name, { target: rules, to: '/tmp/x', source: 'x' }), `${tool}: two destinations`);
      assertAsked(await guarded.call(name, { target: project, source: '' }), `${tool}: an empty source`);
      for (const args of [
        { source: 'src/a.txt', destination: project },
        { oldPath: 'src/a.txt', newPath: project },
        { moves: [{ filePath: 'src/a.txt', to: project }] },
      ])
        assertRan(await guarded.call(name, args), `${tool} ${JSON.stringify(args)}`);
    }
    assertAsked(await guarded.call('mcp__moves__fileDelete', { path: 'src/a.txt', target: project }), 'a deletion');
  });
});
