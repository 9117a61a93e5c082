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
const place = mkdtempSync(join(tmpdir(), 'signalbox-closed-'));
const installed = join(place, 'checkout', 'package');
after(() => rmSync(place, { recursive: true, force: true }));

/** Replaces the system's temporary directory by a new one of this test. */
function useNewTemporaryDirectory(name: string): string {
  const directory = join(place, name);
  mkdirSync(directory);
  chmodSync(directory, 0o1777);
  process.env['TMPDIR'] = directory;
  return directory;
}

describe('PostgreSQL in a checkout that only its owner may enter', () => {
  before(() => {
    chmodSync(place, 0o755);
    mkdirSync(join(place, 'checkout'), { mode: 0o700 });
    execFileSync('cp', ['-a', installedPostgres(), installed]);
  });

  test('starts and answers', async () => {
    if (isRoot) {
      const direct = spawnSync(join(installed, 'native', 'bin', 'initdb'), ['--version'], { uid: nobody, gid: nobody });
      assert.match(direct.error?.message ?? '', /EACCES/);
    }
    useNewTemporaryDirectory('started');
    const cluster = await startPostgres({ files: runnablePostgres(installed) });
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
    'is copied once, again when files are missing, and never run from a directory of another user',
    { skip: !isRoot && 'only root needs a copy' },
    () => {
      const temporary = useNewTemporaryDirectory('copied');
      const copy = runnablePostgres(installed);
      writeFileSync(join(copy, 'native', 'mark'), '');
      rmSync(join(copy, 'package.json'));
      assert.equal(runnablePostgres(installed), copy);
      assert.ok(existsSync(join(copy, 'native', 'mark')), 'as many files as there should be: nothing was copied');
      rmSync(join(copy, 'native', 'bin', 'postgres'));
      assert.equal(runnablePostgres(installed), copy);
      assert.ok(existsSync(join(copy, 'native', 'bin', 'postgres')));
      assert.equal(readdirSync(temporary).length, 1, 'nothing is left beside it');
      execFileSync('chown', [String(nobody), copy]);
      assert.notEqual(runnablePostgres(installed), copy);
    },
  );
});
