import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import { within } from '../../../test/support/within.ts';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import { draft } from '../../journal/store/store.conformance.ts';
import { backUpSqlite } from './backup.ts';
import { sqliteStore } from './sqlite-store.ts';

test('backUpSqlite ends while another connection writes continuously, and contains everything acknowledged before', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-backup-'));
  const [file, to] = [join(directory, 'signalbox.db'), join(directory, 'copy.db')];
  const store = sqliteStore({ file });
  const body = JSON.stringify({ text: 'x'.repeat(4000) });
  const before = Array.from({ length: 2000 }, (_, index) => draft({ call: `before_${index}`, body }));
  await store.append(before);
  const done = new AbortController();
  const writing = (async () => {
    for (let index = 0; !done.signal.aborted; index += 1) {
      // With a key, so that it is a separate commit.
      await store.append([draft({ call: `later_${index}`, claim: { key: `key_${index}`, fingerprint: 'f' } })]);
      await yieldTurn();
    }
  })();
  t.after(async () => {
    done.abort();
    await writing;
    await store.close();
    rmSync(directory, { recursive: true });
  });
  await within(backUpSqlite(file, to), 'the end of the backup', undefined, 30_000);
  const copy = sqliteStore({ file: to });
  const verified = await verifyChain(copy);
  await copy.close();
  assert.ok(verified.ok && verified.entries >= before.length, JSON.stringify(verified));
});
