import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { KeyRing } from './key-ring.ts';
import { secretVault } from './sealed-files.ts';
import type { KeyStore } from './secret-vault.ts';

/** A location of the key. `keys` opens the key ring again, as another process would. */
export interface VaultSubject {
  readonly store: KeyStore;
  readonly skip?: string;
  keys(data: string): KeyRing;
  /** Removes everything that was created outside the directory. */
  cleanUp?(data: string): Promise<void>;
}

/** The suite that every location of the key passes. */
export function secretVaultConformance({ store, skip, keys, cleanUp }: VaultSubject): void {
  const title = `secretVault with its key in the ${store}`;
  describe(skip === undefined ? title : `${title} (skipped: ${skip})`, { skip: skip !== undefined }, () => {
    let data = '';
    before(() => (data = mkdtempSync(join(tmpdir(), 'signalbox-vault-'))));
    after(async () => {
      await cleanUp?.(data);
      rmSync(data, { recursive: true });
    });
    const open = (space?: string) => secretVault({ data, keys: keys(data), ...(space === undefined ? {} : { space }) });

    test('returns the last value that was set, also to another process', async () => {
      const vault = open();
      assert.equal(await vault.get('A'), undefined);
      assert.equal(await vault.has('A'), false);
      assert.deepEqual(await vault.set('A', 'first'), { name: 'A', store });
      assert.equal(await vault.get('A'), 'first');
      await open().set('A', 'second');
      assert.equal(await vault.get('A'), 'second');
      assert.equal(await open().get('A'), 'second');
      assert.equal(await vault.has('A'), true);
    });

    test('lists names, distinguishes upper and lower case, and forgets removed secrets', async () => {
      const vault = open();
      await vault.set('b.B-1_', 'small');
      await vault.set('B.b-1_', 'large');
      assert.equal(await vault.get('b.B-1_'), 'small');
      assert.deepEqual(
        (await vault.list()).filter(({ name }) => name !== 'A'),
        [
          { name: 'B.b-1_', store },
          { name: 'b.B-1_', store },
        ],
      );
      assert.equal(await vault.remove('b.B-1_'), true);
      assert.equal(await vault.remove('b.B-1_'), false);
      assert.equal(await vault.get('b.B-1_'), undefined);
      assert.equal(await vault.get('B.b-1_'), 'large');
    });

    test('returns any text unchanged, and stores none in plain text', async () => {
      const vault = open();
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => !text.includes('\0')),
          async (value) => {
            await vault.set('ANY', value);
            assert.equal(await vault.get('ANY'), value);
          },
        ),
        { numRuns: 50, seed: 8 },
      );
      const large = 'a large token '.repeat(5000);
      await vault.set('ANY', large);
      assert.equal(await vault.get('ANY'), large);
      for (const file of readdirSync(join(data, 'secrets')))
        assert.ok(!readFileSync(join(data, 'secrets', file), 'latin1').includes('a large token'));
    });

    test('isolates the secrets of a space', async () => {
      const tokens = open('oauth');
      await tokens.set('server:0123abcd', 'refresh-token');
      assert.equal(await open('oauth').get('server:0123abcd'), 'refresh-token');
      assert.deepEqual(await tokens.list(), [{ name: 'server:0123abcd', store }]);
      assert.ok((await open().list()).every(({ name }) => !name.includes('server')));
      await assert.rejects(open().get('oauth:server:0123abcd'), /is not a valid name for a secret/);
    });

    test('rejects invalid names and values that are not text', async () => {
      const vault = open();
      for (const name of ['', 'a b', '../x', 'ä', 'a:b', 'x'.repeat(117)])
        await assert.rejects(vault.set(name, 'value'), { code: 'secret-invalid' });
      await vault.set('x'.repeat(116), 'value');
      for (const value of ['\ud800', 'a\0b'])
        await assert.rejects(vault.set('LONE', value), { code: 'secret-invalid' });
      assert.equal(await vault.get('LONE'), undefined);
    });
  });
}
