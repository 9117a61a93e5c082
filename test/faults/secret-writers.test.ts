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
  'writers of secrets that begin at once and are killed at any moment lose nothing that was kept, and leave nothing broken',
  { timeout: 600_000 },
  async (t) => {
    let kept = 0;
    for (let round = 0; round < rounds; round += 1) {
      // New each time, so that the writers also race to make the key.
      const data = mkdtempSync(join(tmpdir(), 'signalbox-writers-'));
      const told = await Promise.all(
        Array.from({ length: writers }, (_, writer) => runAndKill(program, [data, String(writer)], round * 3)),
      );
      const vault = secretVault({ data, keys: keyRing(data, { SIGNALBOX_SECRETS: 'file' }) });
      const newest = new Map(told.flat().map((line) => [line.split(' ')[0] ?? '', line]));
      for (const [name, line] of newest) {
        const last = Number(line.split(' ')[1]);
        const [owner, count] = (await vault.get(name))?.split(' ') ?? [];
        // The one after it may have been written and not told.
        assert.ok(
          owner === name && (Number(count) === last || Number(count) === last + 20),
          `${line}: ${owner} ${count}`,
        );
      }
      for (const { name } of await vault.list()) assert.match((await vault.get(name)) ?? '', new RegExp(`^${name} `));
      kept += told.flat().length;
      rmSync(data, { recursive: true });
    }
    assert.ok(kept > rounds * writers * 2, `only ${kept} were kept: the test shows little`);
    t.diagnostic(`${rounds * writers} kills, ${kept} secrets kept`);
  },
);
