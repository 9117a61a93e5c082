import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ConfigurationTrust } from './configuration-trust.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-trust-'));
after(() => rmSync(directory, { recursive: true }));
const file = join(directory, 'signalbox.config.json');
const other = join(directory, 'other.json');
const values = new Map([['TOKEN', 'value']]);
const vault = {
  has: (name: string) => Promise.resolve(values.has(name)),
  get: (name: string) => Promise.resolve(values.get(name)),
};
const read = { configuration: { file, document: { store: '${secret:TOKEN}' } }, rules: [] };

test('a configuration gets a secret that was set while it runs only after a grant', async () => {
  const trust = new ConfigurationTrust({ data: directory, trusted: '', vault });
  const secrets = trust.secretsFor(file, vault);
  await assert.rejects(secrets.get('TOKEN'), { code: 'configuration-untrusted' });
  assert.equal(await secrets.get('MISSING'), undefined, 'a missing secret was not reported as missing');
  trust.grantSecrets(file, ['TOKEN']);
  assert.equal(await secrets.get('TOKEN'), 'value');
  await assert.rejects(trust.secretsFor(other, vault).get('TOKEN'), { code: 'configuration-untrusted' });
  trust.records.forgetSecret('TOKEN');
  await assert.rejects(secrets.get('TOKEN'), { code: 'configuration-untrusted' });
});

test('an error accepts the configuration that it showed, even if the file has changed since', async () => {
  const trust = new ConfigurationTrust({ data: directory, trusted: '', vault });
  const error = await trust.assert(read).catch((thrown: unknown) => thrown as { accept(): Promise<void> });
  await (error as { accept(): Promise<void> }).accept();
  await trust.assert(read);
  const changed = { ...read, configuration: { file, document: { store: 'postgres://elsewhere' } } };
  await assert.rejects(trust.assert(changed), { code: 'configuration-untrusted' });
});

test('trust by an environment variable applies to the whole process and stores nothing', async () => {
  const data = join(directory, 'environment');
  const trust = new ConfigurationTrust({ data, trusted: directory, vault });
  await trust.assert(read);
  assert.equal(await trust.secretsFor(file, vault).get('TOKEN'), 'value');
  assert.deepEqual(trust.records.list(), []);
});
