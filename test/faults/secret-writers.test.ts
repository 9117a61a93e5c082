import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keyRing } from '../../src/config/secrets/key-ring.ts';
import { secretVault } from '../../src/config/secrets/sealed-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { runAndKill } from './run-and-kill.ts';

const rounds = 6;
const writers = 4;
const enoughStored = rounds * writers * 2;
// On a busy machine, writers are killed before they store much: more rounds make up for it.
const maxRounds = 10 * rounds;
const program = fileURLToPath(new URL('./secret-writer.ts', import.meta.url));

test(
  'writers of secrets that start at once and are killed at any moment lose no stored secret, and break none',
  { timeout: 600_000 },
  async (t) => {
    let stored = 0;
    let round = 0;
    while (round < rounds || (stored <= enoughStored && round < maxRounds)) {
      // A new directory each time, so that the writers also race to create the key.
      const data = temporaryDirectory(t);
      const printed = await Promise.all(
        Array.from({ length: writers }, (_, writer) => runAndKill(program, [data, String(writer)], round * 3)),
      );
      const vault = secretVault({ data, keys: keyRing(data, { SIGNALBOX_SECRETS: 'file' }) });
      const newest = new Map(printed.flat().map((line) => [line.split(' ')[0] ?? '', line]));
      for (const [name, line] of newest) {
        const last = Number(line.split(' ')[1]);
        const [owner, count] = (await vault.get(name))?.split(' ') ?? [];
        // The next value may have been stored but not printed.
        assert.ok(
          owner === name && (Number(count) === last || Number(count) === last + 20),
          `${line}: ${owner} ${count}`,
        );
      }
      for (const { name } of await vault.list()) assert.match((await vault.get(name)) ?? '', new RegExp(`^${name} `));
      stored += printed.flat().length;
      round += 1;
    }
    assert.ok(stored > enoughStored, `only ${stored} secrets were stored: the test shows little`);
    t.diagnostic(`${round * writers} kills, ${stored} secrets stored`);
  },
);
