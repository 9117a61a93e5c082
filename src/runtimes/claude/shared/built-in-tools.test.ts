import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { builtInTool, outputOf } from './built-in-tools.ts';

const root = mkdtempSync(join(tmpdir(), 'signalbox-built-in-'));
const cwd = join(root, 'project');
mkdirSync(join(cwd, 'src'), { recursive: true });
mkdirSync(join(root, 'project-of-others'));
symlinkSync(root, join(cwd, 'up'));
after(() => rmSync(root, { recursive: true, force: true }));

test('edits within the working directory can be undone; whatever is not known may do anything', () => {
  assert.deepEqual(builtInTool('Write', { file_path: join(cwd, 'src/new/deep/a.ts') }, cwd), {
    name: 'Write',
    effect: 'undoable',
  });
  assert.deepEqual(builtInTool('Edit', { file_path: 'src/a.ts' }, cwd), { name: 'Edit', effect: 'undoable' });
  assert.deepEqual(builtInTool('Grep', { pattern: 'x' }, cwd), { name: 'Grep', effect: 'read' });
  for (const name of ['Bash', 'WebFetch', 'NotYetInvented', 'toString', '__proto__'])
    assert.deepEqual(builtInTool(name, {}, cwd), { name, effect: 'irreversible' });
});

test('what reaches out of the working directory is another tool that nothing undoes', () => {
  const outside = [
    '~/.bashrc',
    '/etc/passwd',
    '../other',
    join(root, 'project-of-others/a'),
    'up/b',
    join(cwd, 'src/../../b'),
  ];
  for (const file_path of outside) {
    assert.deepEqual(
      builtInTool('Write', { file_path }, cwd),
      { name: 'Write_outside', effect: 'irreversible' },
      file_path,
    );
    assert.equal(builtInTool('Read', { file_path }, cwd).name, 'Read_outside');
  }
  assert.equal(builtInTool('Glob', { path: '/', pattern: '*' }, cwd).name, 'Glob_outside');
  for (const pattern of ['/etc/*', '../*', '{a,../b}', '{/etc,b}/*', '~/*'])
    assert.equal(builtInTool('Glob', { pattern }, cwd).name, 'Glob_outside', pattern);
  assert.equal(builtInTool('Glob', { pattern: 'src/**/*.ts' }, cwd).name, 'Glob');
  assert.equal(builtInTool('NotebookEdit', { notebook_path: '/x.ipynb' }, cwd).name, 'NotebookEdit_outside');
});

test('a search of a folder that holds the data directory is outside', () => {
  const nameOf = (input: Parameters<typeof builtInTool>[1]): string =>
    builtInTool('Grep', input, cwd, join(cwd, 'data')).name;
  mkdirSync(join(cwd, 'data'));
  assert.equal(nameOf({ pattern: 'sbx_' }), 'Grep_outside');
  assert.equal(nameOf({ pattern: 'sbx_', path: cwd }), 'Grep_outside');
  assert.equal(nameOf({ pattern: 'sbx_', path: 'data' }), 'Grep_outside');
  assert.equal(nameOf({ pattern: 'x', path: 'src' }), 'Grep');
});

test('what a tool gave back is read as a person would', () => {
  assert.equal(outputOf({ stdout: 'out', stderr: '' }), 'out');
  assert.equal(outputOf({ stdout: 'out', stderr: 'err' }), 'out\nerr');
  assert.equal(outputOf({ type: 'text', file: { content: 'lines' } }), 'lines');
  assert.equal(outputOf('text'), 'text');
  assert.equal(outputOf(undefined), 'null');
  assert.equal(outputOf({ filePath: 'a' }), '{"filePath":"a"}');
});
