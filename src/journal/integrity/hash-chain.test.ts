import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type ChainVerification, linkHash, verifyChain } from './hash-chain.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import { draft } from '../store/store.conformance.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-chain-'));
after(() => rmSync(directory, { recursive: true }));
let files = 0;

/** Writes entries, closes the store, tampers with the file, and verifies it. */
async function verifyAfter(
  bodies: readonly string[],
  tamper: (database: DatabaseSync) => void,
): Promise<ChainVerification> {
  const file = join(directory, `${files++}.db`);
  const store = sqliteStore({ file });
  await store.append(
    bodies.map((text, index) => draft({ call: `call_${index}`, at: index, body: JSON.stringify({ text }) })),
  );
  await store.close();
  const database = new DatabaseSync(file);
  tamper(database);
  database.close();
  const reopened = sqliteStore({ file });
  const verification = await verifyChain(reopened);
  await reopened.close();
  return verification;
}

const bodies = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 2, maxLength: 12 });
const textColumns = ['type', 'call', 'session', 'tool', 'outcome', 'writer', 'body', 'hash'] as const;

describe('verifyChain', () => {
  test('accepts an unchanged journal and returns its head', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (texts) => {
        const verification = await verifyAfter(texts, () => undefined);
        assert.ok(verification.ok);
        assert.equal(verification.head.seq, texts.length);
      }),
      { numRuns: 25 },
    );
  });

  test('detects any change of any text column of any entry', async () => {
    await fc.assert(
      fc.asyncProperty(
        bodies,
        fc.nat(),
        fc.constantFrom(...textColumns),
        fc.string({ minLength: 1 }),
        async (texts, pick, column, value) => {
          const seq = (pick % texts.length) + 1;
          const verification = await verifyAfter(texts, (database) => {
            const { changes } = database
              .prepare(`UPDATE journal SET ${column} = ${column} || ? WHERE seq = ?`)
              .run(value, seq);
            assert.equal(changes, 1);
          });
          assert.ok(!verification.ok);
          assert.equal(verification.seq, seq);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('detects a changed time', async () => {
    const verification = await verifyAfter(['a', 'b', 'c'], (database) =>
      database.exec('UPDATE journal SET at = at + 1 WHERE seq = 2'),
    );
    assert.deepEqual([verification.ok, !verification.ok && verification.seq], [false, 2]);
  });

  test('detects any deletion: at the start, inside and at the end', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat(), fc.nat(), async (texts, first, count) => {
        const from = (first % texts.length) + 1;
        const to = Math.min(texts.length, from + (count % texts.length));
        const verification = await verifyAfter(texts, (database) => {
          database.prepare('DELETE FROM journal WHERE seq BETWEEN ? AND ?').run(from, to);
        });
        assert.ok(!verification.ok);
        assert.match(verification.problem, /missing/);
      }),
      { numRuns: 60 },
    );
  });

  test('detects any reordering', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat(), fc.nat(), async (texts, one, two) => {
        const [a, b] = [(one % texts.length) + 1, (two % texts.length) + 1];
        fc.pre(a !== b);
        const verification = await verifyAfter(texts, (database) => {
          const move = database.prepare('UPDATE journal SET seq = ? WHERE seq = ?');
          move.run(-1, a);
          move.run(a, b);
          move.run(b, -1);
        });
        assert.ok(!verification.ok);
      }),
      { numRuns: 60 },
    );
  });

  test('detects an inserted entry with a valid hash of its own', async () => {
    const verification = await verifyAfter(['a', 'b', 'c'], (database) => {
      const [before] = database.prepare('SELECT * FROM journal WHERE seq = 1').all() as unknown as StoredEntry[];
      assert.ok(before !== undefined);
      database.exec('UPDATE journal SET seq = seq + 1 WHERE seq = 3; UPDATE journal SET seq = seq + 1 WHERE seq = 2');
      const forged = { ...before, seq: 2, body: '{"text":"forged"}' };
      database
        .prepare('INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          2,
          forged.at,
          forged.type,
          forged.call,
          '',
          forged.tool,
          forged.outcome,
          forged.writer,
          forged.body,
          linkHash(before.hash, forged),
        );
    });
    assert.ok(!verification.ok);
    assert.equal(verification.seq, 3);
  });

  test('detects a journal that was rewritten and rehashed from the start, given a head that was noted before', async () => {
    const file = join(directory, 'rewritten.db');
    const store = sqliteStore({ file });
    await store.append([draft({ body: '{"amount":100}' }), draft({ body: '{"amount":200}' })]);
    const noted = await verifyChain(store);
    assert.ok(noted.ok);
    await store.close();
    const database = new DatabaseSync(file);
    let previous = '';
    for (const row of database.prepare('SELECT * FROM journal ORDER BY seq').all() as unknown as StoredEntry[]) {
      const forged = { ...row, body: row.body.replace('100', '999') };
      previous = linkHash(previous, forged);
      database.prepare('UPDATE journal SET body = ?, hash = ? WHERE seq = ?').run(forged.body, previous, row.seq);
    }
    database.prepare('UPDATE anchor SET hash = ?').run(previous);
    database.close();
    const reopened = sqliteStore({ file });
    assert.equal((await verifyChain(reopened)).ok, true, 'a consistent forgery passes without the noted head');
    const verification = await verifyChain(reopened, { expected: noted.head });
    assert.ok(!verification.ok);
    assert.match(verification.problem, /rewritten/);
    await reopened.close();
  });
});
