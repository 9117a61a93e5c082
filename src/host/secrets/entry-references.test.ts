import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntryReferences } from './entry-references.ts';

test('EntryReferences registers values of variables as secrets, except variables that every program gets', async (t) => {
  const before = { ...process.env };
  t.after(() => (process.env = before));
  Object.assign(process.env, { HOME: '/home/somebody', REFERRED: 'planted-value', SHORT: 'short' });
  const registered: string[] = [];
  const references = new EntryReferences(['mcpServers', 'files'], {
    file: 'signalbox.config.json',
    vault: { get: async () => 'from-the-vault' },
    addSecret: (name) => registered.push(name),
  });
  const env = { HOME: '${env:HOME}', A: '${env:REFERRED}', B: '${env:SHORT}', C: '${secret:HOME}' };
  const resolved = await references.resolveSecrets(env, 'env');
  assert.deepEqual(resolved, { HOME: '/home/somebody', A: 'planted-value', B: 'short', C: 'from-the-vault' });
  assert.deepEqual(
    registered,
    ['REFERRED', 'HOME'],
    'a secret in the vault with the name of such a variable was not registered',
  );
});
