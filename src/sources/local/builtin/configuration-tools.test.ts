import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonValue } from '../../../core/json/json.ts';
import { getConfig, setConfig } from './configuration-tools.ts';

const document = { mcpServers: { files: { command: 'x', args: ['-y', 'z'] } }, results: { maxBytes: 9 } };
const configuration = { file: '/srv/signalbox.config.json', read: () => document };

describe('getConfig', () => {
  test('returns the whole configuration, or the value at a path', () => {
    assert.deepEqual(getConfig(configuration, {}), { file: configuration.file, path: '', value: document });
    assert.deepEqual(getConfig(configuration, { path: 'mcpServers.files.command' }).value, 'x');
    assert.deepEqual(getConfig(configuration, { path: 'mcpServers.files.args.1' }).value, 'z');
  });

  test('names the unknown part of a path, and the closest match', () => {
    assert.throws(() => getConfig(configuration, { path: 'mcpServers.file.command' }), {
      code: 'setting-unknown',
      message: 'nothing is set at mcpServers.file, so its default applies; did you mean "files"?',
    });
    assert.throws(() => getConfig(configuration, { path: 'store' }), /the keys here are mcpServers, results/);
    for (const path of [
      '__proto__',
      'results.constructor',
      'results.maxBytes.toString',
      'mcpServers.files.args.length',
    ])
      assert.throws(() => getConfig(configuration, { path }), { code: 'setting-unknown' }, path);
  });
});

describe('setConfig', () => {
  /** Sets a value and returns the recorded changes. */
  function set(path: string, value: JsonValue): unknown[] {
    const changes: unknown[] = [];
    const change = (...given: readonly unknown[]): void => void changes.push(given);
    setConfig({ file: configuration.file, change }, { path, value }, 'call_1');
    return changes;
  }

  test('sets limits, disables a server and restores defaults', () => {
    assert.deepEqual(set('mcpServers.files.timeoutMs', 5), [['call_1', ['mcpServers', 'files', 'timeoutMs'], 5]]);
    assert.deepEqual(set('mcpServers.files.disabled', true), [['call_1', ['mcpServers', 'files', 'disabled'], true]]);
    assert.deepEqual(set('results.maxBytes', null), [['call_1', ['results', 'maxBytes'], undefined]]);
  });

  test('rejects settings that could run code, loosen control or reveal secrets, and says who may set them', () => {
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
      assert.throws(() => set(path, 1), { code: 'setting-refused', message: /a human can change it in \/srv/ }, path);
  });

  test('rejects values of other types, and never enables a server', () => {
    for (const value of [false, null, 1, 'true'])
      assert.throws(() => set('mcpServers.files.disabled', value), /only a human can enable a server/);
    for (const value of ['5', [5], { a: 5 }, true])
      assert.throws(() => set('mcpServers.files.timeoutMs', value), { code: 'setting-refused' });
  });
});

function inFiles(key: string): string {
  return `mcpServers.files.${key}`;
}
