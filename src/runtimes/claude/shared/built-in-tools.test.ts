import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { toBuiltInTool, toOutputText } from './built-in-tools.ts';

const root = mkdtempSync(join(tmpdir(), 'signalbox-built-in-'));
const cwd = join(root, 'project');
mkdirSync(join(cwd, 'src'), { recursive: true });
mkdirSync(join(root, 'project-of-others'));
symlinkSync(root, join(cwd, 'up'));
after(() => rmSync(root, { recursive: true, force: true }));

describe('built-in tools of Claude Code', () => {
  test('edits in the working directory are undoable; unknown tools are irreversible', () => {
    assert.deepEqual(toBuiltInTool('Write', { file_path: join(cwd, 'src/new/deep/a.ts') }, cwd), {
      name: 'Write',
      effect: 'undoable',
    });
    assert.deepEqual(toBuiltInTool('Edit', { file_path: 'src/a.ts' }, cwd), { name: 'Edit', effect: 'undoable' });
    assert.deepEqual(toBuiltInTool('Grep', { pattern: 'x' }, cwd), { name: 'Grep', effect: 'read' });
    for (const name of ['Bash', 'WebFetch', 'NotYetInvented', 'toString', '__proto__'])
      assert.deepEqual(toBuiltInTool(name, {}, cwd), { name, effect: 'irreversible' });
  });

  test('a call that reaches outside the working directory is an irreversible tool of its own', () => {
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
        toBuiltInTool('Write', { file_path }, cwd),
        { name: 'Write_outside', effect: 'irreversible' },
        file_path,
      );
      assert.equal(toBuiltInTool('Read', { file_path }, cwd).name, 'Read_outside');
    }
    assert.equal(toBuiltInTool('Glob', { path: '/', pattern: '*' }, cwd).name, 'Glob_outside');
    for (const pattern of ['/etc/*', '../*', '{a,../b}', '{/etc,b}/*', '~/*'])
      assert.equal(toBuiltInTool('Glob', { pattern }, cwd).name, 'Glob_outside', pattern);
    assert.equal(toBuiltInTool('Glob', { pattern: 'src/**/*.ts' }, cwd).name, 'Glob');
    assert.equal(toBuiltInTool('NotebookEdit', { notebook_path: '/x.ipynb' }, cwd).name, 'NotebookEdit_outside');
  });

  test('a search that includes the data directory counts as outside', () => {
    const nameOf = (input: Parameters<typeof toBuiltInTool>[1]): string =>
      toBuiltInTool('Grep', input, cwd, join(cwd, 'data')).name;
    mkdirSync(join(cwd, 'data'));
    assert.equal(nameOf({ pattern: 'sbx_' }), 'Grep_outside');
    assert.equal(nameOf({ pattern: 'sbx_', path: cwd }), 'Grep_outside');
    assert.equal(nameOf({ pattern: 'sbx_', path: 'data' }), 'Grep_outside');
    assert.equal(nameOf({ pattern: 'x', path: 'src' }), 'Grep');
  });

  test('toOutputText returns the readable part of each form of output', () => {
    assert.equal(toOutputText({ stdout: 'out', stderr: '' }), 'out');
    assert.equal(toOutputText({ stdout: 'out', stderr: 'err' }), 'out\nerr');
    assert.equal(toOutputText({ type: 'text', file: { content: 'lines' } }), 'lines');
    assert.equal(toOutputText('text'), 'text');
    assert.equal(toOutputText(undefined), 'null');
    assert.equal(toOutputText({ filePath: 'a' }), '{"filePath":"a"}');
  });
});
