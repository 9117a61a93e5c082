import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Typed, newEntry, splitCommand } from '../../console/src/pages/servers/new-entry.ts';

const typed = (given: Partial<Typed>): Typed => ({
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
    assert.deepEqual(newEntry(typed({ name: ' a ', command: 'x', pairs: 'KEY=${env:A}\n\n B = c=d ' })), {
      name: 'a',
      entry: { command: 'x', env: { KEY: '${env:A}', B: 'c=d' } },
    });
    assert.deepEqual(newEntry(typed({ kind: 'url', name: 'a', url: 'https://x.y/mcp', pairs: 'X-At: 10:30' })), {
      name: 'a',
      entry: { type: 'http', url: 'https://x.y/mcp', headers: { 'X-At': '10:30' } },
    });
    assert.match(newEntry(typed({ name: 'a', command: 'x', pairs: 'KEY' })).wrong ?? '', /“KEY” is not a name/);
  });

  it('is taken from what a README shows', () => {
    const entry = { command: 'npx', args: ['x'] };
    for (const shown of [{ mcpServers: { memory: entry } }, { servers: { memory: entry } }, { memory: entry }])
      assert.deepEqual(newEntry(typed({ kind: 'json', json: JSON.stringify(shown) })), { name: 'memory', entry });
    assert.deepEqual(newEntry(typed({ kind: 'json', name: 'mine', json: JSON.stringify(entry) })), {
      name: 'mine',
      entry,
    });
    const env = { command: 'x', env: { A: 'b' } };
    assert.deepEqual(newEntry(typed({ kind: 'json', name: 'mine', json: JSON.stringify(env) })), {
      name: 'mine',
      entry: env,
    });
  });

  it('is told what is missing', () => {
    const wrong = (given: Partial<Typed>): string | undefined => newEntry(typed(given)).wrong;
    assert.equal(wrong({}), 'Give it a name.');
    assert.equal(wrong({ name: 'a' }), 'Give the command that starts it.');
    assert.equal(wrong({ kind: 'url', name: 'a' }), 'Give its address.');
    assert.equal(wrong({ kind: 'json' }), 'Paste its entry.');
    assert.equal(wrong({ kind: 'json', json: '{"command":"x"}' }), 'Give it a name.');
    assert.match(wrong({ kind: 'json', json: '{"mcpServers":{"a":{},"b":{}}}' }) ?? '', /more than one/);
    assert.ok(wrong({ kind: 'json', json: '[1]' }) !== undefined && wrong({ kind: 'json', json: '{' }) !== undefined);
  });
});
