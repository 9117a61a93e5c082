import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keyRing } from '../../src/config/secrets/key-ring.ts';
import { secretVault } from '../../src/config/secrets/sealed-files.ts';
import { runAndKill } from './run-and-kill.ts';

const rounds = 6;
const writers = 4;
const program = fileURLToPath(new URL('./secret-writer.ts', import.meta.url));

test(
  'writers of secrets that start at once and are killed at any moment lose no stored secret, and break none',
  { timeout: 600_000 },
  async (t) => {
    let stored = 0;
    for (let round = 0; round < rounds; round += 1) {
      // A new directory each time, so that the writers also race to create the key.
      const data = mkdtempSync(join(tmpdir(), 'signalbox-writers-'));
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
      rmSync(data, { recursive: true });
    }
    assert.ok(stored > rounds * writers * 2, `only ${stored} secrets were stored: the test shows little`);
    t.diagnostic(`${rounds * writers} kills, ${stored} secrets stored`);
  },
);
