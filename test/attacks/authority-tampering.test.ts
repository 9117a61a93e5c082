import type { InternalSignalbox } from '../../src/signalbox/internal-signalbox.ts';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { pinStorage } from '../../src/pipeline/recording/pin-storage.ts';
import { BrowserSessions } from '../../src/server/access/browser/browser-sessions.ts';
import { hashSecret } from '../../src/server/access/random-secrets.ts';
import { SignInCodes } from '../../src/server/access/browser/sign-in-codes.ts';
import {
  bot,
  fillJournal,
  verifyAfter,
  human,
  reportsForgeries,
  withBox,
  verify,
} from '../support/journal/tampered-journal.ts';

const forgedPin = `INSERT INTO kept SELECT kind, 'shell', '{}', 9e15 FROM kept WHERE key = 'files'`;

/** Creates each kind of record that decides what is allowed, and outcomes that are stored in addition to their entries. */
async function createAuthorityRecords(box: InternalSignalbox): Promise<void> {
  const { tokens, shared } = box;
  await tokens.create({ role: 'viewer', name: 'dashboard', by: human });
  const { id } = await tokens.create({ role: 'admin', name: 'old', by: human });
  await tokens.revoke(id, { by: human });
  await pinStorage(shared, 'here').add('files', '{"servers":{"files":{}}}');
  const browsers = await BrowserSessions.open(shared, 'admin token');
  const codes = new SignInCodes(shared.keyValues);
  const code = await codes.create(human);
  await codes.create(human);
  await browsers.create((await codes.redeem(code)) ?? bot);
  browsers.stop();
  await box.policies.set([{ id: 'all', match: 'mcp__bank__*', allow: 'true' }]);
  for (const idempotencyKey of ['a', 'b'])
    await box.call('mcp__bank__pay', { amount: 1 }, { principal: bot, session: 's', idempotencyKey });
  await box.call('mcp__bank__list', {}, { principal: bot, session: 's' });
}

describe('verification of authority records after edits of the SQLite file', () => {
  const edits: Readonly<Record<string, readonly (readonly [edit: string, expected: RegExp])[]>> = {
    tokens: [
      [`UPDATE tokens SET role = 'admin' WHERE name = 'dashboard'`, /access token "tok_\w+" was changed/],
      [`UPDATE tokens SET hash = 'x' WHERE name = 'dashboard'`, /access token "tok_\w+" was changed/],
      [`UPDATE tokens SET revoked_at = 0`, /access token "tok_\w+" was revoked, and is in force again/],
      [
        `INSERT INTO tokens SELECT 'tok_forged', hash, 'admin', '', 'x', created_at - 1e9, 0, 0, 0 FROM tokens LIMIT 1`,
        /access token "tok_forged" has no journal entry: it was forged/,
      ],
      [`DELETE FROM tokens WHERE name = 'dashboard'`, /access token "tok_\w+" was removed without an entry/],
    ],
    pins: [
      [`UPDATE kept SET text = '{}' WHERE key = 'files'`, /pinned definitions of server "files" was changed/],
      [`DELETE FROM kept WHERE key = 'files'`, /pinned definitions of server "files" was removed/],
      [forgedPin, /of server "shell" has no journal entry: it was forged/],
      [`INSERT INTO kept VALUES ('lock', 'shell', '{}', 9e15)`, /accepted lock of server "shell" has no journal entry/],
    ],
    'sign-ins': [
      [
        `INSERT INTO kept SELECT kind, 'forged', text, until FROM kept WHERE kind = 'sign-in'`,
        /browser sign-in of "user:ada" has no journal entry/,
      ],
      [
        `UPDATE kept SET text = replace(text, 'ada', 'eve') WHERE kind = 'sign-in'`,
        /browser sign-in of "user:eve" was changed/,
      ],
      [
        `INSERT INTO kept SELECT kind, 'forged', text, until FROM kept WHERE kind = 'sign-in-code'`,
        /sign-in link for "user:ada" has no journal entry/,
      ],
    ],
    'stored outcomes': [
      [`UPDATE claims SET outcome = replace(outcome, 'paid', 'sent')`, /stored for an idempotency key.* was changed/],
      [`UPDATE claims SET fingerprint = 'other'`, /stored for an idempotency key.* was changed/],
      [`DELETE FROM claims`, /stored for an idempotency key.* was removed/],
      [
        `INSERT INTO claims SELECT 'k', call, 'f', '{}' FROM entries WHERE type = 'ToolInvoked' ORDER BY seq DESC LIMIT 1`,
        /stored for an idempotency key.* was changed or forged/,
      ],
      [`UPDATE recordings SET outcome = replace(outcome, 'first', 'other')`, /stored for replay.* was changed/],
      [`DELETE FROM recordings`, /stored for replay.* was removed/],
    ],
  };
  for (const [name, list] of Object.entries(edits))
    test(`${name}: reports forged, changed, restored and removed records`, async (t) => {
      const files = await fillJournal(t);
      await withBox(files, undefined, createAuthorityRecords);
      assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)']);
      await reportsForgeries(t, files, list);
    });

  test('reports a forged sign-in link that was used', async (t) => {
    const files = await fillJournal(t);
    await withBox(files, undefined, createAuthorityRecords);
    const database = new DatabaseSync(files.file);
    const key = hashSecret('guessed');
    database.exec(`INSERT INTO kept SELECT kind, '${key}', text, until FROM kept WHERE kind = 'sign-in-code'`);
    database.close();
    await withBox(files, undefined, async ({ shared }) => {
      const person = await new SignInCodes(shared.keyValues).redeem('guessed');
      assert.equal(person?.id, 'user:ada');
      await (await BrowserSessions.open(shared, 'admin token')).create(person);
    });
    const result = await verify(files);
    assert.match(
      result.ok ? '' : result.problem,
      /sign-in link for "user:ada" was used, and no entry records who created it/,
    );
  });

  test('accounts for records after pruning, and pruning hides no forgery', async (t) => {
    const files = await fillJournal(t);
    await withBox(files, undefined, createAuthorityRecords);
    const prune = (): Promise<void> =>
      withBox(files, undefined, async (box) => {
        await box.call('mcp__bank__look', {}, { principal: bot });
        const archive = join(files.data, `${Date.now()}.jsonl`);
        assert.ok((await box.journal.prune({ before: Date.now() + 1, archive })).entries > 0);
      });
    await prune();
    await prune();
    assert.deepEqual(await verifyAfter(files, () => undefined), ['holds (sealed)', 'holds (sealed)']);
    const [problem] = await verifyAfter(files, (database) => database.exec(forgedPin));
    assert.match(problem ?? '', /of server "shell" has no journal entry/);
    await prune();
    const later = await verify(files);
    assert.match(later.ok ? '' : later.problem, /of server "shell" has no journal entry/);
  });

  test('accounts once for records of a version that wrote no entries for them', async (t) => {
    const files = await fillJournal(t);
    await withBox(files, undefined, createAuthorityRecords);
    const older = await fillJournal(t);
    const from = new DatabaseSync(older.file);
    from.exec(
      `ATTACH '${files.file}' AS other; INSERT INTO kept SELECT * FROM other.kept; INSERT INTO tokens SELECT * FROM other.tokens`,
    );
    from.close();
    const notes = join(older.data, 'journal.seals');
    writeFileSync(notes, readFileSync(notes, 'utf8').replaceAll(/^.* accounted(?:-pins)?\n/gm, ''));
    assert.deepEqual(await verifyAfter(older, () => undefined), ['holds (sealed)', 'holds (sealed)']);
    const problems = await verifyAfter(older, (database) => {
      database.exec(`UPDATE tokens SET role = 'admin' WHERE name = 'dashboard'`);
    });
    for (const problem of problems) assert.match(problem, /access token "tok_\w+" was changed/);
  });

  test('accounts once for pins of a version that wrote entries for everything else', async (t) => {
    const files = await fillJournal(t);
    await withBox(files, undefined, createAuthorityRecords);
    const notes = join(files.data, 'journal.seals');
    const older = readFileSync(notes, 'utf8').replaceAll(/^.* accounted-pins\n/gm, '');
    assert.notEqual(older, readFileSync(notes, 'utf8'));
    writeFileSync(notes, older);
    const added = `INSERT INTO kept SELECT kind, 'mail', '{}', 9e15 FROM kept WHERE key = 'files'`;
    assert.deepEqual(await verifyAfter(files, (database) => database.exec(added)), [
      'holds (sealed)',
      'holds (sealed)',
    ]);
    for (const [edit, expected] of [
      [forgedPin, /of server "shell" has no journal entry: it was forged/],
      [`DELETE FROM kept WHERE key = 'mail'`, /of server "mail" was removed without an entry/],
    ] as const) {
      const [problem] = await verifyAfter(files, (database) => database.exec(edit));
      assert.match(problem ?? '', expected);
      const database = new DatabaseSync(files.file);
      database.exec(`DELETE FROM kept WHERE key = 'shell'`);
      database.close();
    }
  });

  test('reports an anchor that was set back', async (t) => {
    const files = await fillJournal(t);
    const database = new DatabaseSync(files.file);
    database.exec('UPDATE anchor SET seq = 4, hash = (SELECT hash FROM journal WHERE seq = 4)');
    database.close();
    const expected = /the anchor was changed: it is at entry 4, and the index goes on to entry \d+/;
    const before = await verify(files);
    assert.match(before.ok ? '' : before.problem, expected);
    await assert.rejects(
      withBox(files, undefined, () => Promise.resolve()),
      { code: 'store-unavailable', message: expected },
    );
    const later = await verify(files);
    assert.match(later.ok ? '' : later.problem, expected);
  });
});
