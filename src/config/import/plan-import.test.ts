import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { assertServerName } from '../../core/tools/tool-names.ts';
import type { ImportedEntry } from './client-reading.ts';
import { fittingName, planImport, suffixedName } from './plan-import.ts';

const target = { names: ['mine'], builtinName: 'signalbox', directory: '/p' };

type Given = readonly [client: string, name: string, entry: ImportedEntry, file?: string];

function found(...list: readonly Given[]) {
  const servers = list.map(([id, name, entry, file = `/h/${id}`]) => ({
    client: { id, title: id },
    file,
    name,
    line: 1,
    entry,
    notes: [],
  }));
  return { servers, skipped: [], problems: [] };
}

function namesOf(...list: readonly Given[]): string[] {
  return planImport(found(...list), target, '/p').taken.map(({ name, entry }) => `${name}=${entry.command}`);
}

suite('planImport', () => {
  test('imports the same server of two clients once, with both origins', () => {
    const one = { command: 'a', env: { A: '1', B: '2' } };
    const { taken } = planImport(
      found(['x', 's', one], ['y', 's', { env: { B: '2', A: '1' }, command: 'a' }]),
      target,
      '/p',
    );
    assert.deepEqual(
      taken.map(({ name, origins }) => [name, origins.map(({ client }) => client.id)]),
      [['s', ['x', 'y']]],
    );
  });

  test('appends the name of the client to different servers of the same name', () => {
    const list = [
      ['x', 's', { command: 'a' }],
      ['cursor', 's', { command: 'b' }],
      ['zed', 's', { command: 'b' }],
      ['cursor', 's!', { command: 'c' }],
    ] as const;
    assert.deepEqual(namesOf(...list), ['s=a', 's-cursor=b', 's-cursor-2=c']);
  });

  test('keeps configured servers, never takes the built-in name, and prefers the project over the user', () => {
    const plan = planImport(
      found(
        ['x', 'mine', { command: 'a' }],
        ['x', 'signalbox', { command: 'b' }],
        ['x', 's', { command: 'project' }, '/p/f'],
        ['x', 's', { command: 'user' }],
      ),
      target,
      '/p',
    );
    assert.deepEqual(
      plan.taken.map(({ name, entry }) => `${name}=${entry.command}`),
      ['signalbox-x=b', 's=project'],
    );
    assert.deepEqual(
      plan.kept.map(({ name }) => name),
      ['mine'],
    );
    assert.deepEqual(
      plan.skipped.map(({ reason }) => reason),
      ['x uses the one of /p/f'],
    );
  });

  test('reports a configured server of the same name that is a different one', () => {
    const entries = { mine: { command: 'a', args: ['1'] }, other: { command: 'c', args: ['${secret:KEY}'] } };
    const isDifferent = (entry: ImportedEntry): boolean | undefined =>
      planImport(found(['x', 'mine', entry]), { ...target, entries }, '/p').kept[0]?.isDifferent;
    assert.equal(isDifferent({ command: 'a', args: ['1'], env: { A: '1' } }), false);
    assert.equal(isDifferent({ command: 'a', args: ['2'] }), true);
    assert.equal(isDifferent({ command: 'b' }), true);
    assert.equal(isDifferent({ type: 'http', url: 'https://a.example/' }), true);
    assert.equal(isDifferent({ command: 'c', args: ['${secret:KEY_2}'] }), false, 'it was imported under another name');
  });

  test('sets the directory of a project server when the configuration is in another directory', () => {
    const list = found(
      ['x', 's', { command: 'a' }, '/p/f'],
      ['x', 't', { command: 'a' }],
      ['x', 'u', { url: 'http://x' }, '/p/f'],
    );
    const { taken } = planImport(list, { ...target, directory: '/' }, '/p');
    assert.deepEqual(
      taken.map(({ entry }) => entry.cwd),
      ['/p', undefined, undefined],
    );
  });

  test('converts names to valid server names deterministically', () => {
    assert.deepEqual(['my server', 'a__b_', 'Zürich/Ost', 'fine-1_x', 'a-'].map(fittingName), [
      'my-server',
      'a_b',
      'Zurich-Ost',
      'fine-1_x',
      'a-',
    ]);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        assertServerName(fittingName(name));
        assertServerName(suffixedName(fittingName(name), 'claude-desktop-2'));
        assert.equal(fittingName(fittingName(name)), fittingName(name));
      }),
    );
  });
});
