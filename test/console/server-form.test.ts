import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ServerForm, parseServerForm, splitCommand } from '../../console/src/pages/servers/server-form.ts';

const filledForm = (values: Partial<ServerForm>): ServerForm => ({
  kind: 'command',
  name: '',
  command: '',
  url: '',
  pairs: '',
  json: '',
  ...values,
});

describe('the form of a new server', () => {
  it('splits a command into words, which may be quoted', () => {
    assert.deepEqual(splitCommand(`npx -y  "a b" 'c d' e"f g"h --x="\\"" ''`), [
      'npx',
      '-y',
      'a b',
      'c d',
      'ef gh',
      '--x="',
      '',
    ]);
    assert.deepEqual(splitCommand('  '), []);
  });

  it('parses environment variables and headers whose values contain the separator', () => {
    assert.deepEqual(parseServerForm(filledForm({ name: ' a ', command: 'x', pairs: 'KEY=${env:A}\n\n B = c=d ' })), {
      name: 'a',
      entry: { command: 'x', env: { KEY: '${env:A}', B: 'c=d' } },
    });
    assert.deepEqual(
      parseServerForm(filledForm({ kind: 'url', name: 'a', url: 'https://x.y/mcp', pairs: 'X-At: 10:30' })),
      {
        name: 'a',
        entry: { type: 'http', url: 'https://x.y/mcp', headers: { 'X-At': '10:30' } },
      },
    );
    assert.match(
      parseServerForm(filledForm({ name: 'a', command: 'x', pairs: 'KEY' })).problem ?? '',
      /“KEY” must be a name/,
    );
  });

  it('accepts the JSON entries that READMEs show', () => {
    const entry = { command: 'npx', args: ['x'] };
    for (const entries of [{ mcpServers: { memory: entry } }, { servers: { memory: entry } }, { memory: entry }])
      assert.deepEqual(parseServerForm(filledForm({ kind: 'json', json: JSON.stringify(entries) })), {
        name: 'memory',
        entry,
      });
    assert.deepEqual(parseServerForm(filledForm({ kind: 'json', name: 'mine', json: JSON.stringify(entry) })), {
      name: 'mine',
      entry,
    });
    const withEnv = { command: 'x', env: { A: 'b' } };
    assert.deepEqual(parseServerForm(filledForm({ kind: 'json', name: 'mine', json: JSON.stringify(withEnv) })), {
      name: 'mine',
      entry: withEnv,
    });
  });

  it('reports missing and invalid values', () => {
    const problem = (values: Partial<ServerForm>): string | undefined => parseServerForm(filledForm(values)).problem;
    assert.equal(problem({}), 'Enter a name');
    assert.equal(problem({ name: 'a' }), 'Enter a command');
    assert.equal(problem({ kind: 'url', name: 'a' }), 'Enter a URL');
    assert.equal(problem({ kind: 'json' }), 'Paste the JSON entry');
    assert.equal(problem({ kind: 'json', json: '{"command":"x"}' }), 'Enter a name');
    assert.match(problem({ kind: 'json', json: '{"mcpServers":{"a":{},"b":{}}}' }) ?? '', /more than one/);
    assert.ok(
      problem({ kind: 'json', json: '[1]' }) !== undefined && problem({ kind: 'json', json: '{' }) !== undefined,
    );
  });
});
