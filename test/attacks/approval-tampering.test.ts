import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { journalSealer } from '../../src/config/secrets/journal-key.ts';
import { verifyJournal } from '../../src/journal/integrity/verify-journal.ts';
import { approvalDigest } from '../../src/journal/store/approval-store.ts';
import type { Store } from '../../src/journal/store/store.ts';
import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { PostgresDatabase, loadDriver } from '../../src/store/postgres/postgres-database.ts';
import { postgresStore } from '../../src/store/postgres/postgres-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { approvalIdOf } from '../support/approval-id.ts';
import {
  type JournalFiles,
  type ReportedEdit,
  bot,
  fillJournal,
  human,
  reportsForgeries,
  verify,
  verifyAfter,
  withBox,
} from '../support/journal/tampered-journal.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Rows without entries, dated before any pruning. */
const forgedRows: readonly ReportedEdit[] = [
  [
    `INSERT INTO approvals (digest, id, binding, subject, principal, server, requested_at, expires_at, asked, answer, given, closed, used_by)
     SELECT 'x', 'appr_forged', 'b', 's', principal, server, 0, 9000000000000, asked, 'approved', '{"by":{"id":"user:ada","kind":"human"}}',
     closed, '' FROM approvals WHERE answer = ''`,
    /approval appr_forged… of 1970-.* has no journal entry: it was forged/,
  ],
  [
    `INSERT INTO rules SELECT 'rule_x', principal, server, replace(text, '"at":"', '"at":"1970-01-01T00:00:00.000Z","was":"'), revoked
     FROM rules WHERE NOT revoked`,
    /remembered rule rule_x has no journal entry: it was forged/,
  ],
];

async function askForPayment(box: InternalSignalbox, amount: number): Promise<{ readonly id: string }> {
  return {
    id: approvalIdOf(await box.call('mcp__bank__pay', { amount }, { principal: bot, session: 's', waitMs: 0 })),
  };
}

/** Prunes all entries but those of one more call. */
async function prune(files: JournalFiles, store?: () => Promise<Store>): Promise<void> {
  await withBox(files, store, async (box) => {
    await box.call('mcp__bank__look', {}, { principal: bot });
    const archive = join(files.data, `${Date.now()}.jsonl`);
    assert.ok((await box.journal.prune({ before: Date.now() + 1, archive })).entries > 0);
  });
}

describe('approvals and rules in an edited SQLite file', () => {
  test('detects forged approvals and remembered rules of any date, and changed ones after pruning', async (t) => {
    const files = await fillJournal(t);
    await reportsForgeries(t, files, forgedRows);
    await withBox(files, undefined, async (box) => {
      const { id } = await askForPayment(box, 7);
      await box.approvals.approve(id, { by: human, remember: 'arguments' });
      const rule = (await box.approvals.rules()).at(-1)?.id ?? '';
      await box.approvals.revoke(rule, { by: human });
    });
    for (let run = 1; run <= 2; run++) {
      await prune(files);
      assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)'], `run ${run}`);
      await reportsForgeries(t, files, [
        ...forgedRows,
        [`UPDATE rules SET revoked = 0`, /rule_\w+ was revoked, and is in force again/],
        [`UPDATE rules SET text = replace(text, 'arguments', 'server') WHERE NOT revoked`, /rule_\w+ was changed/],
        [`UPDATE rules SET revoked = 1`, /was removed without an entry/],
        [`UPDATE approvals SET answer = 'approved' WHERE answer = ''`, /its answer is not the recorded one/],
        [`UPDATE approvals SET binding = 'other' WHERE answer = ''`, /the question differs from the recorded one/],
        [`DELETE FROM approvals WHERE answer = ''`, /the approval requested by entry \d+ was removed/],
      ]);
    }
    // The pending question is answered, and its answer pruned, after its own entry was.
    await withBox(files, undefined, async (box) => {
      const pending = (await box.approvals.list()).find(({ state }) => state === 'pending');
      await box.approvals.approve(pending?.id ?? '', { by: human });
    });
    await prune(files);
    assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)']);
    await withBox(files, undefined, async (box) => {
      const paid = await box.call('mcp__bank__pay', { amount: 3 }, { principal: bot, waitMs: 0 });
      assert.equal(paid.outcome, 'completed');
    });
    await prune(files);
    assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)']);
  });

  test('a forged approval admits no call, and the next call asks again', async (t) => {
    const files = await fillJournal(t);
    const answer = JSON.stringify({ by: human, at: new Date().toISOString() });
    const columns = 'binding, subject, principal, server, requested_at, expires_at, asked';
    const edited = JSON.stringify({ by: human, at: new Date().toISOString(), arguments: { amount: 9 } });
    const forgeries: readonly (readonly [isApproved: boolean, edit: string])[] = [
      [false, `UPDATE approvals SET answer = 'approved', given = '${answer}' WHERE answer = ''`],
      [
        false,
        `UPDATE approvals SET closed = 1 WHERE answer = '';
         INSERT INTO approvals SELECT '${approvalDigest('appr_forged')}', 'appr_forged', ${columns}, 'approved', '${answer}', 0, ''
         FROM approvals WHERE answer = ''`,
      ],
      [true, `UPDATE approvals SET given = '${edited}' WHERE answer = 'approved' AND NOT closed`],
    ];
    for (const [isApproved, edit] of forgeries)
      await withBox(files, undefined, async (box) => {
        const pay = (): ReturnType<InternalSignalbox['call']> =>
          box.call('mcp__bank__pay', { amount: 3 }, { principal: bot, waitMs: 0 });
        const first = await pay();
        if (isApproved) await box.approvals.approve(approvalIdOf(first), { by: human });
        const database = new DatabaseSync(files.file);
        database.exec(edit);
        database.close();
        const { outcome, error } = await pay();
        assert.deepEqual([outcome, error?.code], ['denied', 'approval-failed'], edit);
        assert.match(error?.message ?? '', /not in the journal.* signalbox journal verify/);
        assert.equal((await pay()).outcome, 'awaiting-approval');
      });
  });

  test('a remembered approval whose row was changed to edited arguments admits no call', async (t) => {
    const files = await fillJournal(t);
    await withBox(files, undefined, async (box) => {
      const { id } = await askForPayment(box, 3);
      await box.approvals.approve(id, { by: human, remember: 'arguments' });
      const database = new DatabaseSync(files.file);
      database.exec(
        `UPDATE approvals SET given = json_set(json_remove(given, '$.rule'), '$.arguments', json('{"amount":9999}'))
         WHERE answer = 'approved' AND NOT closed`,
      );
      database.close();
      const { outcome, error } = await box.call(
        'mcp__bank__pay',
        { amount: 3 },
        { principal: bot, session: 's', waitMs: 0 },
      );
      assert.deepEqual([outcome, error?.code], ['denied', 'approval-failed']);
    });
  });

  test('holds for a journal that an earlier version pruned, and detects later forgeries', async (t) => {
    const files = await fillJournal(t);
    const store = sqliteStore({ file: files.file, sealer: await journalSealer(files.data) });
    const [last] = await store.entries({ order: 'newest-first', after: 0, limit: 1 });
    assert.ok(last !== undefined);
    await store.append([{ ...last, body: '{}', type: 'ServerChanged' }]);
    await store.drop({ from: await store.beginning(), to: last, before: Date.now() + 1 });
    await store.close();
    assert.match((await verify(files)).ok ? '' : 'forged', /forged/);
    await withBox(files, undefined, () => Promise.resolve());
    assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)']);
    await reportsForgeries(t, files, [
      ...forgedRows,
      [`UPDATE rules SET text = replace(text, 'arguments', 'server')`, /rule_\w+ was changed/],
    ]);
  });
});

test('in PostgreSQL: detects forged approvals and remembered rules of any date, and changed ones after pruning', async (t) => {
  const cluster = await startPostgres();
  t.after(() => cluster.end());
  const address = cluster.address('forged_approvals');
  const sealer = await journalSealer(temporaryDirectory(t), address);
  const open = (): Promise<Store> => postgresStore({ address, sealer });
  const files = await fillJournal(t, open);
  const verifyThere = async (): Promise<string> => {
    const store = await open();
    const result = await verifyJournal(store);
    await store.close();
    return result.ok ? `holds (${result.authentication.state})` : result.problem;
  };
  const database = new PostgresDatabase(await loadDriver(), parseAddress(address));
  t.after(() => database.close());
  for (let run = 0; run <= 2; run++) {
    if (run > 0) await prune(files, open);
    assert.equal(await verifyThere(), 'holds (sealed)', `run ${run}`);
    const undo = ["DELETE FROM approvals WHERE digest = 'x'", "DELETE FROM rules WHERE id = 'rule_x'"];
    for (const [index, [edit, expected]] of forgedRows.entries()) {
      await database.rows(edit);
      assert.match(await verifyThere(), expected, edit);
      await database.rows(undo[index] ?? '');
    }
  }
  await database.rows(`UPDATE rules SET text = replace(text, 'arguments', 'server')`);
  assert.match(await verifyThere(), /rule_\w+ was changed/);
});
