import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ServerForm, parseServerForm, splitCommand } from '../../console/src/pages/servers/server-form.ts';

const typed = (given: Partial<ServerForm>): ServerForm => ({
  kind: 'command',
  name: '',
  command: '',
  url: '',
  pairs: '',
  json: '',
  ...given,
});

describe('a server that is added', () => {
  it('has the words of its command, kept together by quotes', () => {
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

  it('has environment or headers, whose values may hold the sign', () => {
    assert.deepEqual(parseServerForm(typed({ name: ' a ', command: 'x', pairs: 'KEY=${env:A}\n\n B = c=d ' })), {
      name: 'a',
      entry: { command: 'x', env: { KEY: '${env:A}', B: 'c=d' } },
    });
    assert.deepEqual(parseServerForm(typed({ kind: 'url', name: 'a', url: 'https://x.y/mcp', pairs: 'X-At: 10:30' })), {
      name: 'a',
      entry: { type: 'http', url: 'https://x.y/mcp', headers: { 'X-At': '10:30' } },
    });
    assert.match(
      parseServerForm(typed({ name: 'a', command: 'x', pairs: 'KEY' })).problem ?? '',
      /“KEY” must be a name/,
    );
  });

  it('is taken from what a README shows', () => {
    const entry = { command: 'npx', args: ['x'] };
    for (const shown of [{ mcpServers: { memory: entry } }, { servers: { memory: entry } }, { memory: entry }])
      assert.deepEqual(parseServerForm(typed({ kind: 'json', json: JSON.stringify(shown) })), {
        name: 'memory',
        entry,
      });
    assert.deepEqual(parseServerForm(typed({ kind: 'json', name: 'mine', json: JSON.stringify(entry) })), {
      name: 'mine',
      entry,
    });
    const env = { command: 'x', env: { A: 'b' } };
    assert.deepEqual(parseServerForm(typed({ kind: 'json', name: 'mine', json: JSON.stringify(env) })), {
      name: 'mine',
      entry: env,
    });
  });

  it('is told what is missing', () => {
    const problem = (given: Partial<ServerForm>): string | undefined => parseServerForm(typed(given)).problem;
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
