import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { keyRing } from '../../src/config/secrets/key-ring.ts';
import { secretVault } from '../../src/config/secrets/sealed-files.ts';

const rounds = 6;
const writers = 4;
const program = fileURLToPath(new URL('./secret-writer.ts', import.meta.url));

test(
  'writers of secrets that begin at once and are killed at any moment lose nothing that was kept, and leave nothing broken',
  { timeout: 120_000 },
  async (t) => {
    let kept = 0;
    for (let round = 0; round < rounds; round += 1) {
      // New each time, so that the writers also race to make the key.
      const data = mkdtempSync(join(tmpdir(), 'signalbox-writers-'));
      const told = await Promise.all(
        Array.from({ length: writers }, (_, writer) => writeAndDie(data, writer, round * 3)),
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

async function writeAndDie(data: string, writer: number, afterMs: number): Promise<string[]> {
  const child = spawn(process.execPath, [program, data, String(writer)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL', `the program ended by itself with ${code}`);
  return output.split('\n').slice(0, -1);
}
