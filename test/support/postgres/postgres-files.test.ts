import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { installedPostgres, runnablePostgres } from './postgres-files.ts';
import { startPostgres } from './postgres.ts';

const isRoot = process.getuid?.() === 0;
const nobody = 65_534;
const directory = mkdtempSync(join(tmpdir(), 'signalbox-closed-'));
const installed = join(directory, 'checkout', 'package');
after(() => rmSync(directory, { recursive: true, force: true }));

/** Replaces the temporary directory of the system by a new one. */
function useNewTemporaryDirectory(name: string): string {
  const temporary = join(directory, name);
  mkdirSync(temporary);
  chmodSync(temporary, 0o1777);
  process.env['TMPDIR'] = temporary;
  return temporary;
}

describe('PostgreSQL in a checkout that only its owner can access', () => {
  before(() => {
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, 'checkout'), { mode: 0o700 });
    execFileSync('cp', ['-a', installedPostgres(), installed]);
  });

  test('starts and answers queries', async () => {
    if (isRoot) {
      const direct = spawnSync(join(installed, 'native', 'bin', 'initdb'), ['--version'], { uid: nobody, gid: nobody });
      assert.match(direct.error?.message ?? '', /EACCES/);
    }
    useNewTemporaryDirectory('started');
    const cluster = await startPostgres({ programs: runnablePostgres(installed) });
    try {
      const client = new pg.Client({ connectionString: cluster.address('public') });
      await client.connect();
      assert.deepEqual((await client.query('select 1 as one')).rows, [{ one: 1 }]);
      await client.end();
    } finally {
      await cluster.end();
    }
  });

  test(
    'is copied once, again if files are missing, and never runs from a directory of another user',
    { skip: !isRoot && 'only root needs a copy' },
    () => {
      const temporary = useNewTemporaryDirectory('copied');
      const copy = runnablePostgres(installed);
      writeFileSync(join(copy, 'native', 'mark'), '');
      rmSync(join(copy, 'package.json'));
      assert.equal(runnablePostgres(installed), copy);
      assert.ok(existsSync(join(copy, 'native', 'mark')), 'the number of files is right, so nothing was copied');
      rmSync(join(copy, 'native', 'bin', 'postgres'));
      assert.equal(runnablePostgres(installed), copy);
      assert.ok(existsSync(join(copy, 'native', 'bin', 'postgres')));
      assert.equal(readdirSync(temporary).length, 1, 'nothing is left beside the copy');
      execFileSync('chown', [String(nobody), copy]);
      assert.notEqual(runnablePostgres(installed), copy);
    },
  );
});
