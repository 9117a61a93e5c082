import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { Journal } from './journal.ts';
import { Recovery } from './recovery.ts';
import { draft } from './store/store.conformance.ts';

describe('Recovery', () => {
  test('one of several processes that start together records the outcomes of the lost calls', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-recovery-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'signalbox.db');
    const dead = sqliteStore({ file });
    await dead.append(['a', 'b'].map((call) => draft({ call, type: 'CallStarted', outcome: '' })));
    await dead.close();
    const stores = [1, 2, 3].map(() => sqliteStore({ file }));
    t.after(() => Promise.all(stores.map((store) => store.close())));
    await Promise.all(stores.map((store) => new Recovery(store, new Journal(store)).start()));
    for (const store of stores) {
      const ended = await store.entries({ order: 'oldest-first', limit: 9, type: 'ToolInvoked' });
      assert.deepEqual(
        ended.map(({ call, outcome }) => [call, outcome]),
        [
          ['a', 'unknown'],
          ['b', 'unknown'],
        ],
      );
    }
  });
});
