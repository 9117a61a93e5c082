import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { keyRing } from './key-ring.ts';
import { keychainKey } from './keychain-key.ts';
import { secretVault } from './sealed-files.ts';
import { secretVaultConformance } from './secret-vault.conformance.ts';
import type { SecretVault } from './secret-vault.ts';

const passphrase = 'correct horse battery staple';
secretVaultConformance({ store: 'file', keys: (data) => keyRing(data, { SIGNALBOX_SECRETS: 'file' }) });
secretVaultConformance({ store: 'environment', keys: (data) => keyRing(data, { SIGNALBOX_SECRET_KEY: passphrase }) });

/**
 * By default, the tests use the keyring of the Linux kernel: it is not persistent, but has the same interface and needs no desktop.
 * SIGNALBOX_TEST_KEYCHAIN=own uses the keychain of the user who runs the tests, and restores it.
 */
const isOwn = process.env['SIGNALBOX_TEST_KEYCHAIN'] === 'own';
const place = mkdtempSync(join(tmpdir(), 'signalbox-keychain-'));
after(() => rmSync(place, { recursive: true }));
const keychainIn = (data: string) =>
  keychainKey(join(data, 'secrets', 'keychain'), isOwn ? 'secret-service' : 'keyutils');
secretVaultConformance({
  store: 'keychain',
  ...(await skipReason()),
  keys: (data) => keyRing(data, { SIGNALBOX_SECRETS: 'keychain' }, keychainIn(data)),
  cleanUp: (data) => keychainIn(data).forget(readFileSync(join(data, 'secrets', 'keychain'), 'utf8').trim()),
});

async function skipReason(): Promise<{ skip?: string }> {
  if (process.platform !== 'linux' && !isOwn)
    return { skip: 'it is the keychain of the user; set SIGNALBOX_TEST_KEYCHAIN=own' };
  const keychain = keychainIn(place);
  let skip = '';
  // The first use of the kernel's keyring by a process may be refused.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    try {
      await keychain.forget((await keychain.current()).id);
      return {};
    } catch (error) {
      skip = String(error);
    }
  }
  return { skip };
}

function vaultIn(data: string, environment: Readonly<Record<string, string>>): SecretVault {
  return secretVault({ data, keys: keyRing(data, environment) });
}

suite('secretVault', () => {
  const created: string[] = [];
  after(() => created.forEach((data) => rmSync(data, { recursive: true })));
  const newData = (): string => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-vault-'));
    created.push(data);
    return data;
  };
  const inFile = { SIGNALBOX_SECRETS: 'file' };
  const fileOf = (data: string, name: string): string =>
    join(data, 'secrets', `${Buffer.from(name).toString('hex')}.json`);

  test('reports a changed secret with its file and the next step, never as missing', async () => {
    const data = newData();
    const vault = vaultIn(data, inFile);
    await vault.set('A', 'value of a');
    await vault.set('B', 'value of b');
    const original = readFileSync(fileOf(data, 'A'), 'utf8');
    const fields = JSON.parse(original) as Record<string, string>;
    const flipped = (text = ''): string => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const changes = [
      { ...fields, sealed: flipped(fields['sealed']) },
      { ...fields, sealed: '' },
      { ...fields, nonce: flipped(fields['nonce']) },
      { ...fields, nonce: '' },
      { ...fields, name: 'B' },
      { ...fields, version: 2 },
      { ...fields, store: 'cloud' },
      // The sealed value of another secret under this name.
      { ...(JSON.parse(readFileSync(fileOf(data, 'B'), 'utf8')) as object), name: 'A' },
    ];
    for (const text of [...changes.map((each) => JSON.stringify(each)), '', '{', 'null', original.slice(0, -9)]) {
      writeFileSync(fileOf(data, 'A'), text);
      await assert.rejects(vault.get('A'), (error: Error) => {
        assert.match(error.message, /secrets\/41\.json.* was damaged or changed; .*signalbox secret set A/, text);
        assert.doesNotMatch(error.message, /value of/);
        return true;
      });
      assert.equal(await vault.get('B'), 'value of b');
    }
    await vault.set('A', 'new value');
    assert.equal(await vault.get('A'), 'new value');
  });

  test('reports a different or missing key', async () => {
    const data = newData();
    await vaultIn(data, inFile).set('A', 'value');
    const key = readFileSync(join(data, 'secrets.key'), 'utf8');
    rmSync(join(data, 'secrets.key'));
    await assert.rejects(
      vaultIn(data, inFile).get('A'),
      /the secret A cannot be read: the key file .*secrets\.key is gone/,
    );
    writeFileSync(join(data, 'secrets.key'), 'too short', { mode: 0o600 });
    await assert.rejects(vaultIn(data, inFile).get('A'), /secrets\.key does not contain a key/);
    rmSync(join(data, 'secrets.key'));
    await vaultIn(data, inFile).set('B', 'value');
    await assert.rejects(vaultIn(data, inFile).get('A'), /was not sealed with the key in .*secrets\.key/);
    writeFileSync(join(data, 'secrets.key'), key, { mode: 0o600 });
    assert.equal(await vaultIn(data, inFile).get('A'), 'value');

    await vaultIn(data, { SIGNALBOX_SECRET_KEY: passphrase }).set('E', 'value');
    await assert.rejects(
      vaultIn(data, { SIGNALBOX_SECRET_KEY: 'another passphrase' }).get('E'),
      /was not sealed with the key in SIGNALBOX_SECRET_KEY/,
    );
    await assert.rejects(vaultIn(data, {}).get('E'), /SIGNALBOX_SECRET_KEY is not set/);
    await assert.rejects(vaultIn(data, { SIGNALBOX_SECRET_KEY: 'short' }).set('E', 'x'), /shorter than 16/);
    await assert.rejects(vaultIn(data, { SIGNALBOX_SECRETS: 'cloud' }).set('E', 'x'), /expected "keychain" or "file"/);
  });

  test(
    'stores private files, and rejects a key that other users can read',
    { skip: process.platform === 'win32' },
    async () => {
      const data = newData();
      await vaultIn(data, inFile).set('A', 'value');
      const modeOf = (...path: string[]): string => (statSync(join(data, ...path)).mode & 0o777).toString(8);
      assert.deepEqual([modeOf('secrets'), modeOf('secrets', '41.json'), modeOf('secrets.key')], ['700', '600', '600']);
      chmodSync(join(data, 'secrets.key'), 0o644);
      await assert.rejects(vaultIn(data, inFile).get('A'), /other users .* can read the key file .*run chmod 600/);
      await assert.rejects(vaultIn(data, inFile).set('B', 'value'), /run chmod 600/);
      chmodSync(join(data, 'secrets.key'), 0o600);
      assert.equal(await vaultIn(data, inFile).get('A'), 'value');
    },
  );

  test('seals the same value differently each time', async () => {
    const data = newData();
    const vault = vaultIn(data, inFile);
    const sealed = new Set<string>();
    for (let round = 0; round < 5; round += 1) {
      await vault.set('A', 'value');
      sealed.add(readFileSync(fileOf(data, 'A'), 'utf8'));
    }
    assert.equal(sealed.size, 5);
  });
});
