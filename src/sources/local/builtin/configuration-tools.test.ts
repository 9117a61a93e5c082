import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonValue } from '../../../core/json/json.ts';
import { getConfig, setConfig } from './configuration-tools.ts';

const document = { mcpServers: { files: { command: 'x', args: ['-y', 'z'] } }, results: { maxBytes: 9 } };
const book = { file: '/srv/signalbox.config.json', read: () => document };

describe('get_config', () => {
  test('tells the whole, or what stands at a path', () => {
    assert.deepEqual(getConfig(book, {}), { file: book.file, path: '', value: document });
    assert.deepEqual(getConfig(book, { path: 'mcpServers.files.command' }).value, 'x');
    assert.deepEqual(getConfig(book, { path: 'mcpServers.files.args.1' }).value, 'z');
  });

  test('says where a path ends, and what is near', () => {
    assert.throws(() => getConfig(book, { path: 'mcpServers.file.command' }), {
      code: 'setting-unknown',
      message: 'nothing is set at mcpServers.file, so its default holds; did you mean "files"?',
    });
    assert.throws(() => getConfig(book, { path: 'store' }), /there is mcpServers, results/);
    for (const path of [
      '__proto__',
      'results.constructor',
      'results.maxBytes.toString',
      'mcpServers.files.args.length',
    ])
      assert.throws(() => getConfig(book, { path }), { code: 'setting-unknown' }, path);
  });
});

describe('set_config', () => {
  /** Sets a value and returns the recorded changes. */
  function set(path: string, value: JsonValue): unknown[] {
    const changes: unknown[] = [];
    const change = (...given: readonly unknown[]): void => void changes.push(given);
    setConfig({ file: book.file, change }, { path, value }, 'call_1');
    return changes;
  }

  test('changes limits, turns a server off, and brings defaults back', () => {
    assert.deepEqual(set('mcpServers.files.timeoutMs', 5), [['call_1', ['mcpServers', 'files', 'timeoutMs'], 5]]);
    assert.deepEqual(set('mcpServers.files.disabled', true), [['call_1', ['mcpServers', 'files', 'disabled'], true]]);
    assert.deepEqual(set('results.maxBytes', null), [['call_1', ['results', 'maxBytes'], undefined]]);
  });

  test('refuses whatever could run code, loosen control or show secrets, and says who can', () => {
    for (const path of [
      '',
      'policies',
      'secrets',
      'secrets.0',
      'store',
      'approvals.expireAfter',
      'undo.keepMs',
      'builtin.name',
      'agents.default',
      'profiles.coding',
      'mcpServers',
      'mcpServers.files',
      'mcpServers.new',
      ...['command', 'args', 'env', 'env.X', 'cwd', 'url', 'headers', 'auth', 'auth.token', 'npm', 'module'].map(
        inFiles,
      ),
      ...['tools.effect', 'tools.effect.write', 'tools.allow', 'tools.describe.x', 'labels', 'workspace'].map(inFiles),
      ...['passthrough', 'trackInvocations', 'required', 'rateLimit', 'cache', 'type', 'timeoutMs.x'].map(inFiles),
      'mcpServers.__proto__.command',
    ])
      assert.throws(() => set(path, 1), { code: 'setting-refused', message: /a human can, in \/srv/ }, path);
  });

  test('refuses values that mean something else there: only a human turns a server on', () => {
    for (const value of [false, null, 1, 'true'])
      assert.throws(() => set('mcpServers.files.disabled', value), /only a human turns a server on/);
    for (const value of ['5', [5], { a: 5 }, true])
      assert.throws(() => set('mcpServers.files.timeoutMs', value), { code: 'setting-refused' });
  });
});

function inFiles(key: string): string {
  return `mcpServers.files.${key}`;
}
