import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { PresenceLock } from './presence-lock.ts';

describe('PresenceLock', () => {
  test('uses one file, and removes old files of killed processes', (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-presence-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const longAgo = new Date(Date.now() - 3_600_000);
    for (const name of ['a.lock.new', 'a.lock.new-journal', 'b.lock.new-journal']) {
      writeFileSync(join(directory, name), '');
      utimesSync(join(directory, name), longAgo, longAgo);
    }
    writeFileSync(join(directory, 'beginning.lock.new'), '');
    const lock = new PresenceLock(directory, 'mine');
    assert.deepEqual(lock.liveOwners(), new Set(['mine']));
    assert.deepEqual(readdirSync(directory).toSorted(), ['beginning.lock.new', 'mine.lock']);
    lock.release();
    assert.deepEqual(readdirSync(directory), ['beginning.lock.new']);
  });
});
