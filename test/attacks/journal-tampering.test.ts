import assert from 'node:assert/strict';
import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, after, describe, test } from 'node:test';
import { pinStorage } from '../../src/pipeline/recording/pin-storage.ts';
import { journalSealer } from '../../src/config/secrets/journal-key.ts';
import { linkHash } from '../../src/journal/integrity/hash-chain.ts';
import type { StoredEntry } from '../../src/journal/entries/stored-entry.ts';
import type { Sealer } from '../../src/journal/integrity/seal.ts';
import type { Store } from '../../src/journal/store/store.ts';
import { type JournalVerification, verifyJournal } from '../../src/journal/integrity/verify-journal.ts';
import { copyStore } from '../../src/store/copy/copy-store.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { openPostgresTarget } from '../../src/store/postgres/copy-target.ts';
import { PostgresDatabase, loadDriver } from '../../src/store/postgres/postgres-database.ts';
import { postgresStore } from '../../src/store/postgres/postgres-store.ts';
import { backUpSqlite } from '../../src/store/sqlite/backup.ts';
import { openSqliteSource } from '../../src/store/sqlite/copy-source.ts';
import { approvalIdOf } from '../support/approval-id.ts';
import {
  type JournalFiles,
  bot,
  fillJournal,
  verifyAfter,
  human,
  withBox,
  verify,
} from '../support/journal/tampered-journal.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { within } from '../support/within.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function rowsOf(database: DatabaseSync): StoredEntry[] {
  return database.prepare('SELECT * FROM journal ORDER BY seq').all() as unknown as StoredEntry[];
}

describe('verification of a journal in an edited SQLite file', () => {
  test('passes as sealed without edits; the key is in a private file beside the database', async (t) => {
    const files = await fillJournal(t);
    const result = await verify(files);
    assert.ok(result.ok && result.authentication.state === 'sealed', JSON.stringify(result));
    assert.equal(result.authentication.seq, result.head.seq);
    assert.equal(statSync(join(files.data, 'journal.key')).mode & 0o777, 0o600);
  });

  test('detects a deleted end with an adjusted anchor', async (t) => {
    const files = await fillJournal(t);
    const problems = await verifyAfter(files, (database) => {
      database.exec(`DELETE FROM journal WHERE seq > 8; DELETE FROM entries WHERE seq > 8; DELETE FROM samples WHERE seq > 8;
        DELETE FROM approvals; DELETE FROM rules; UPDATE anchor SET seq = 8, hash = (SELECT hash FROM journal WHERE seq = 8)`);
    });
    assert.match(problems[0] ?? '', /^entries 9 to \d+ are missing at the end$/);
    // New entries have replaced the deleted ones, or are too few.
    assert.match(problems[1] ?? '', /missing at the end|not the one that was anchored/);
  });

  test('detects a rewritten end with matching hashes', async (t) => {
    const files = await fillJournal(t);
    const problems = await verifyAfter(files, (database) => {
      const rows = rowsOf(database);
      let previous = rows[4]?.hash ?? '';
      for (const row of rows.slice(5)) {
        const changed = { ...row, body: row.body.replace('"amount":1', '"amount":9') };
        previous = linkHash(previous, changed);
        database.prepare('UPDATE journal SET body = ?, hash = ? WHERE seq = ?').run(changed.body, previous, row.seq);
      }
      database.exec('UPDATE anchor SET hash = (SELECT hash FROM journal WHERE journal.seq = anchor.seq)');
    });
    for (const problem of problems) assert.match(problem, /is not the one that was anchored/);
  });

  test('detects a deleted front with an adjusted beginning', async (t) => {
    const files = await fillJournal(t);
    const problems = await verifyAfter(files, (database) => {
      database.exec(`INSERT INTO beginning SELECT 1, seq, hash, at FROM journal WHERE seq = 5;
        DELETE FROM journal WHERE seq <= 5; DELETE FROM entries WHERE seq <= 5; DELETE FROM samples WHERE seq <= 5`);
    });
    for (const problem of problems)
      assert.match(problem, /^entries up to 5 are gone, and no prune command removed them/);
  });

  test('detects a seal that was removed, changed, or made with another key', async (t) => {
    for (const [edit, expected] of [
      ['DELETE FROM seals', /the seal of this machine is gone/],
      ['UPDATE seals SET seq = 3, hash = (SELECT hash FROM journal WHERE seq = 3)', /the seal was changed/],
      ["UPDATE seals SET mac = 'ab'", /the seal was changed/],
    ] as const) {
      const problems = await verifyAfter(await fillJournal(t), (database) => database.exec(edit));
      for (const problem of problems) assert.match(problem, expected, edit);
    }
  });

  test('detects deleted, added and changed rows of the query index', async (t) => {
    const files = await fillJournal(t);
    for (const edit of [
      'DELETE FROM entries WHERE seq = 4',
      "UPDATE entries SET outcome = 'failed' WHERE seq = 4",
      "UPDATE entries SET principal = 'somebody' WHERE seq = 4",
      'UPDATE entries SET latest = 0 WHERE seq = 4',
      'DELETE FROM samples WHERE seq = 4',
      'INSERT INTO samples SELECT at + 1, seq, kind, ms FROM samples WHERE seq = 4',
    ]) {
      const copy = { data: `${files.data}-copy`, file: join(`${files.data}-copy`, 'signalbox.db') };
      cpSync(files.data, copy.data, { recursive: true });
      t.after(() => rmSync(copy.data, { recursive: true, force: true }));
      const problems = await verifyAfter(copy, (database) => database.exec(edit));
      for (const problem of problems) assert.match(problem, /entry 4 is missing or different in the index/, edit);
      rmSync(copy.data, { recursive: true });
    }
  });

  test('detects forged, changed, reopened and removed approvals and remembered rules', async (t) => {
    const files = await fillJournal(t);
    const forged = `INSERT INTO approvals SELECT 'x', 'appr_forged', 'b', 's', principal, server, requested_at, expires_at, asked, 'approved',
      '{"by":{"id":"user:ada","kind":"human"}}', 0, '' FROM approvals LIMIT 1`;
    const used = `used_by <> ''`;
    for (const [edit, expected] of [
      [forged, /is in no entry: it was forged/],
      [`UPDATE approvals SET answer = 'approved' WHERE answer = ''`, /its answer is not the recorded one/],
      [`UPDATE approvals SET binding = 'other' WHERE answer = ''`, /what was asked differs/],
      [`UPDATE approvals SET expires_at = expires_at + 1000 WHERE answer = ''`, /what was asked differs/],
      [`UPDATE approvals SET given = replace(given, 'ada', 'bob') WHERE ${used}`, /who answered, or how, differs/],
      [`UPDATE approvals SET closed = 0, used_by = '' WHERE ${used}`, /a call has used it, and it is open again/],
      [`DELETE FROM approvals WHERE answer = ''`, /the approval requested by entry \d+ was removed/],
      [`UPDATE rules SET text = replace(text, 'arguments', 'server')`, /who answered, or how, differs/],
      [`INSERT INTO rules SELECT 'rule_x', principal, server, text, 0 FROM rules`, /rule rule_x is in no entry/],
      [`UPDATE rules SET revoked = 1`, /was removed without an entry/],
    ] as const) {
      const copy = { data: `${files.data}-copy`, file: join(`${files.data}-copy`, 'signalbox.db') };
      cpSync(files.data, copy.data, { recursive: true });
      t.after(() => rmSync(copy.data, { recursive: true, force: true }));
      const problems = await verifyAfter(copy, (database) => database.exec(edit));
      for (const problem of problems) assert.match(problem, expected, edit);
      rmSync(copy.data, { recursive: true });
    }
  });

  test('passes with revealed hidden parts, and detects changed hidden parts of a request', async (t) => {
    const files = await fillJournal(t);
    await withBox(files, undefined, async (box) => {
      const pay = async (amount: number): Promise<string> => {
        const args = { amount, note: `token ghp_${'Ab3'.repeat(12)}` };
        const result = await box.call('mcp__bank__pay', args, { principal: bot, waitMs: 0 });
        return result.outcome === 'awaiting-approval' ? approvalIdOf(result) : result.outcome;
      };
      const revealed = await pay(4);
      assert.equal((await box.approvals.get(revealed)).hidden.length, 1);
      await box.approvals.reveal(revealed, { by: human });
      await box.approvals.approve(revealed, { by: human, remember: 'nothing' });
      assert.equal(await pay(4), 'completed');
      const acknowledged = await pay(5);
      await box.approvals.approve(acknowledged, { by: human, remember: 'nothing', acknowledgeHidden: true });
      await box.approvals.reveal(await pay(6), { by: human });
      assert.equal((await box.journal.query({ type: 'ApprovalRevealed' })).items.length, 2);
    });
    assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)']);
    const problems = await verifyAfter(files, (database) => {
      const edit = `UPDATE approvals SET asked = json_set(asked, '$.hidden', json('[]')) WHERE answer = '' AND asked ->> '$.hidden' <> '[]'`;
      assert.equal(database.prepare(edit).run().changes, 1);
    });
    for (const problem of problems) assert.match(problem, /what was asked differs/);
  });

  test('reports an unknown state without the key', async (t) => {
    const files = await fillJournal(t);
    rmSync(join(files.data, 'journal.key'));
    const result = await verify(files);
    assert.deepEqual(result.ok && result.authentication, {
      state: 'unknown',
      why: 'it is sealed with keys of other machines only',
    });
  });
});

describe('verification after changes that are not edits', () => {
  test('passes after a crash between entries and seal: the seal is behind, and catches up', async (t) => {
    const files = await fillJournal(t);
    const copy = { data: `${files.data}-crashed`, file: join(`${files.data}-crashed`, 'signalbox.db') };
    t.after(() => rmSync(copy.data, { recursive: true, force: true }));
    await withBox(files, undefined, async (box) => {
      await box.call('mcp__bank__look', {}, { principal: bot });
      // The state on the disk while the process runs, as its death would leave it.
      cpSync(files.data, copy.data, { recursive: true, filter: (source) => !source.endsWith('-shm') });
    });
    const result = await verify(copy);
    assert.ok(result.ok && result.authentication.state === 'sealed', JSON.stringify(result));
    await withBox(copy, undefined, async (box) => {
      await box.call('mcp__bank__look', {}, { principal: bot });
    });
    const later = await verify(copy);
    assert.ok(later.ok && later.authentication.state === 'sealed' && later.authentication.seq === later.head.seq);
  });

  test('passes for a journal of an earlier version, after pruning, and for a restored backup', async (t) => {
    const files = await fillJournal(t);
    const database = new DatabaseSync(files.file);
    database.exec('DELETE FROM seals');
    database.close();
    rmSync(join(files.data, 'journal.seals'));
    const unsealed = await verify(files);
    assert.deepEqual(unsealed.ok && unsealed.authentication, { state: 'unknown', why: 'it is not sealed yet' });
    await withBox(files, undefined, async (box) => {
      await box.call('mcp__bank__look', {}, { principal: bot });
    });
    const copy = join(files.data, 'copy.db');
    await backUpSqlite(files.file, copy);
    await withBox(files, undefined, async (box) => {
      await box.call('mcp__bank__look', {}, { principal: bot });
      const pruned = await box.journal.prune({ before: Date.now() + 1, archive: join(files.data, 'old.jsonl') });
      assert.ok(pruned.entries > 10, JSON.stringify(pruned));
    });
    const result = await verify(files);
    assert.ok(result.ok && result.authentication.state === 'sealed', JSON.stringify(result));
    for (const end of ['', '-wal', '-shm']) rmSync(`${files.file}${end}`, { force: true });
    cpSync(copy, files.file);
    const restored = await verify(files);
    assert.ok(restored.ok && restored.authentication.state === 'sealed', JSON.stringify(restored));
    assert.ok(existsSync(join(files.data, 'journal.seals')));
  });
});

describe('verification of a journal in PostgreSQL', async () => {
  const cluster = await startPostgres();
  after(() => cluster.end());
  let databases = 0;

  const storeOpener = (address: string, sealer: Sealer | undefined) => (): Promise<Store> =>
    postgresStore({ address, sealer });
  const verifyAt = async (address: string, sealer: Sealer | undefined): Promise<JournalVerification> => {
    const store = await postgresStore({ address, sealer });
    try {
      return await verifyJournal(store);
    } finally {
      await store.close();
    }
  };
  const summaryOf = (result: JournalVerification): string =>
    result.ok ? `holds (${result.authentication.state})` : result.problem;
  const filledAt = async (
    t: TestContext,
  ): Promise<{ address: string; files: JournalFiles; sealer: Sealer | undefined }> => {
    const address = cluster.address(`tampering_${(databases += 1)}`);
    const data = temporaryDirectory(t);
    const sealer = await journalSealer(data, address);
    const files = await fillJournal(t, storeOpener(address, sealer));
    return { address, files, sealer };
  };

  test('detects edits of the end, the front, index columns and approvals, also after later entries', async (t) => {
    const { address, files, sealer } = await filledAt(t);
    assert.equal(summaryOf(await verifyAt(address, sealer)), 'holds (sealed)');
    const database = new PostgresDatabase(await loadDriver(), parseAddress(address));
    t.after(() => database.close());
    const edits: readonly (readonly [edit: string, undo: string, expected: RegExp])[] = [
      [
        "UPDATE journal SET principal = 'x' WHERE seq = 4",
        "UPDATE journal SET principal = 'bot' WHERE seq = 4",
        /entry 4 is missing or different/,
      ],
      [
        "UPDATE approvals SET answer = 'approved' WHERE answer = ''",
        "UPDATE approvals SET answer = '' WHERE given = ''",
        /answer is not the recorded one/,
      ],
      [
        'INSERT INTO beginning SELECT 1, seq, hash, at FROM journal WHERE seq = 5',
        'DELETE FROM beginning',
        /no prune command removed them/,
      ],
      [
        'DELETE FROM journal WHERE seq > 8; UPDATE head SET seq = 8, hash = (SELECT hash FROM journal WHERE seq = 8)',
        '',
        /missing at the end/,
      ],
    ];
    for (const [edit, undo, expected] of edits) {
      for (const part of edit.split(';')) await database.rows(part);
      assert.match(summaryOf(await verifyAt(address, sealer)), expected, edit);
      if (undo !== '') await database.rows(undo);
    }
    await withBox(files, storeOpener(address, sealer), async (box) => {
      for (let index = 0; index < 30; index++) await box.call('mcp__bank__look', {}, { principal: bot });
    });
    assert.match(summaryOf(await verifyAt(address, sealer)), /not the one that was anchored/);
  });

  test('detects forged and changed tokens, pins and stored outcomes', async (t) => {
    const { address, files, sealer } = await filledAt(t);
    await withBox(files, storeOpener(address, sealer), async (box) => {
      await box.tokens.create({ role: 'viewer', by: human });
      await pinStorage(box.shared).add('files', '{}');
      await box.policies.set([{ id: 'all', match: 'mcp__bank__*', allow: 'true' }]);
      await box.call('mcp__bank__pay', { amount: 1 }, { principal: bot, idempotencyKey: 'a' });
    });
    assert.equal(summaryOf(await verifyAt(address, sealer)), 'holds (sealed)');
    const database = new PostgresDatabase(await loadDriver(), parseAddress(address));
    t.after(() => database.close());
    for (const [edit, undo, expected] of [
      ["UPDATE tokens SET role = 'admin'", "UPDATE tokens SET role = 'viewer'", /access token .* was changed/],
      [
        "UPDATE kept SET text = '[]' WHERE key = 'files'",
        "UPDATE kept SET text = '{}' WHERE key = 'files'",
        /server "files" was changed/,
      ],
      [
        "INSERT INTO kept SELECT kind, 'x', '', until FROM kept WHERE key = 'files'",
        "DELETE FROM kept WHERE key = 'x'",
        /"x" is in no entry/,
      ],
      ["UPDATE claims SET outcome = '{}'", 'SELECT 1', /stored for an idempotency key.* was changed/],
    ] as const) {
      await database.rows(edit);
      assert.match(summaryOf(await verifyAt(address, sealer)), expected, edit);
      await database.rows(undo);
    }
  });

  test('reports an unknown state with a key that has sealed nothing, passes with a shared key, and after pruning', async (t) => {
    const { address, files, sealer } = await filledAt(t);
    const other = temporaryDirectory(t);
    const otherSealer = await journalSealer(other, address);
    const seen = await verifyAt(address, otherSealer);
    assert.deepEqual(seen.ok && seen.authentication, {
      state: 'unknown',
      why: 'it is sealed with keys of other machines only',
    });
    // Both machines write, each with its own key; then one of them prunes.
    for (const each of [otherSealer, sealer])
      await withBox(files, storeOpener(address, each), async (box) => {
        await box.call('mcp__bank__look', {}, { principal: bot });
      });
    for (const each of [otherSealer, sealer]) assert.equal(summaryOf(await verifyAt(address, each)), 'holds (sealed)');
    await withBox(files, storeOpener(address, sealer), async (box) => {
      await box.call('mcp__bank__look', {}, { principal: bot });
      await box.journal.prune({ before: Date.now() + 1, archive: join(files.data, 'old.jsonl') });
    });
    assert.equal(summaryOf(await verifyAt(address, sealer)), 'holds (sealed)');
    const pruned = await verifyAt(address, otherSealer);
    assert.deepEqual(pruned.ok && pruned.authentication, {
      state: 'unknown',
      why: 'it was pruned by a machine with another key',
    });
    const key = 'a'.repeat(64);
    const [one, two] = await Promise.all([files.data, other].map((data) => journalSealer(data, address, key)));
    await withBox(files, storeOpener(address, one), async (box) => {
      await box.call('mcp__bank__look', {}, { principal: bot });
    });
    assert.equal(summaryOf(await verifyAt(address, two)), 'holds (sealed)');
  });

  test('passes after a copy from SQLite, and detects edits made before the copy', async (t) => {
    for (const [edit, expected] of [
      ['', /^holds \(sealed\)$/],
      ['UPDATE seals SET seq = seq + 1', /the seal was changed/],
    ] as const) {
      const files = await fillJournal(t);
      const database = new DatabaseSync(files.file);
      database.exec(edit);
      database.close();
      const address = cluster.address(`tampering_${(databases += 1)}`);
      const source = await openSqliteSource(files.file);
      try {
        const target = await openPostgresTarget(address, source);
        try {
          await within(copyStore(source, target), 'the copy');
        } finally {
          await target.close();
        }
      } finally {
        source.close();
      }
      assert.match(summaryOf(await verifyAt(address, await journalSealer(files.data, address))), expected);
    }
  });
});
