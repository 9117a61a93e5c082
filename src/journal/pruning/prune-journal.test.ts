import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { fillStore } from '../../../test/support/journal/filled-store.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { readArchives } from './archive-file.ts';
import { type ChainVerification, verifyChain } from '../integrity/hash-chain.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import { pruneJournal } from './prune-journal.ts';
import type { Beginning } from '../store/drop-request.ts';
import { draft } from '../store/store.conformance.ts';
import type { ChainHead, EntryQuery, Store } from '../store/store.ts';

const until = 10_000_000;

async function filledStore(t: TestContext, calls = 400): Promise<{ store: Store; file(name: string): string }> {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-prune-'));
  const store = sqliteStore({ file: join(directory, 'signalbox.db') });
  t.after(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  await fillStore(store, { calls, until });
  return { store, file: (name) => join(directory, name) };
}

const verifyWith = (store: Store, ...files: readonly string[]): Promise<ChainVerification> =>
  verifyChain(store, { archive: readArchives(files) });

/** Asserts that the journal and the archives still contain the whole earlier journal. Each run of pruning has added one entry. */
async function assertContains(
  store: Store,
  whole: ChainVerification,
  runs: number,
  ...files: readonly string[]
): Promise<void> {
  assert.ok(whole.ok);
  const found = await verifyChain(store, { archive: readArchives(files), expected: whole.head });
  assert.deepEqual([found.ok, found.entries], [true, whole.entries + runs], JSON.stringify(found));
}

/** A store with another `drop`. */
function withDrop(store: Store, drop: Store['drop']): Store {
  const beginning = (): Promise<Beginning> => store.beginning();
  const anchor = (): Promise<ChainHead> => store.anchor();
  const entries = (query: EntryQuery): Promise<readonly StoredEntry[]> => store.entries(query);
  const append: Store['append'] = (drafts) => store.append(drafts);
  return Object.assign(Object.create(store) as Store, { beginning, anchor, entries, append, drop });
}

describe('pruneJournal', () => {
  test('writes the pruned entries to a private archive, which can be verified together with the rest', async (t) => {
    const { store, file } = await filledStore(t);
    const whole = await verifyChain(store);
    const [old, later] = [file('old.jsonl.gz'), file('later.jsonl')];
    const first = await pruneJournal(store, { before: 3_000_000, archive: old });
    assert.ok(first.entries > 10 && first.dropped?.entries === first.entries, JSON.stringify(first));
    const second = await pruneJournal(store, { before: 6_000_000, archive: later });
    assert.equal(second.first, (first.last ?? 0) + 1);
    await assertContains(store, whole, 2, old, later);
    assert.equal((await verifyWith(store, later)).ok, true, 'one archive of several can be verified, too');
    assert.equal(statSync(old).mode & 0o777, 0o600);
    const lines = gunzipSync(readFileSync(old)).toString().trimEnd().split('\n');
    assert.equal(lines.length, first.entries);
    const [oldest] = await store.entries({ order: 'oldest-first', limit: 1 });
    assert.equal(oldest?.seq, (second.last ?? 0) + 1);
  });

  test('detects an archive with a changed or missing entry', async (t) => {
    const { store, file } = await filledStore(t);
    const old = file('old.jsonl');
    const { last = 0 } = await pruneJournal(store, { before: 6_000_000, archive: old });
    const lines = readFileSync(old, 'utf8').trimEnd().split('\n');
    const problemOf = async (changed: readonly string[]): Promise<string> => {
      writeFileSync(file('changed.jsonl.gz'), gzipSync(`${changed.join('\n')}\n`));
      const found = await verifyWith(store, file('changed.jsonl.gz'));
      return found.ok ? 'none' : found.problem;
    };
    assert.equal(await problemOf(lines), 'none');
    assert.match(
      await problemOf(lines.with(5, lines[5]?.replace('mcp__', 'mcp_') ?? '')),
      /in the archive, entry 6 was changed/,
    );
    assert.match(await problemOf(lines.toSpliced(5, 1)), /in the archive, entry 6 is missing/);
    assert.match(
      await problemOf(lines.slice(0, -1)),
      new RegExp(`entries ${last} to ${last} were pruned and are in no archive`),
    );
    await assert.rejects(problemOf(['{"seq":1,']), { code: 'file-unreadable' });
    const forged = await verifyChain(store, { expected: { seq: 3, hash: 'f'.repeat(64) } });
    assert.match(forged.ok ? '' : forged.problem, /entry 3 was pruned: pass the archives that contain it with --with/);
  });

  test('without an archive only counts; creates no archive when no entry is old enough', async (t) => {
    const { store, file } = await filledStore(t);
    const before = await verifyChain(store);
    const counted = await pruneJournal(store, { before: 6_000_000 });
    assert.ok(counted.entries > 100 && counted.dropped === undefined);
    assert.deepEqual(await verifyChain(store), before);
    assert.deepEqual(await pruneJournal(store, { before: 10, archive: file('none.jsonl') }), { entries: 0 });
    assert.ok(!existsSync(file('none.jsonl')));
  });

  test('keeps the intent of an open call with all later entries, and always the newest entry', async (t) => {
    const { store, file } = await filledStore(t);
    const { keptFor, last = 0 } = await pruneJournal(store, { before: 2e13, archive: file('a.jsonl') });
    assert.equal(keptFor, 'open');
    const [open] = await store.entries({ order: 'oldest-first', limit: 1 });
    assert.deepEqual([open?.call, open?.seq], ['open', last + 1]);
    await store.append([draft({ call: 'open' }), draft({ call: 'newest' })]);
    await pruneJournal(store, { before: 2e13, archive: file('b.jsonl') });
    assert.deepEqual(
      (await store.entries({ order: 'oldest-first', limit: 9 })).map(({ call, type }) => call || type),
      ['newest', 'AuthorityChanged'],
    );
    assert.equal((await verifyWith(store, file('a.jsonl'), file('b.jsonl'))).ok, true);
  });

  test('drops nothing from a broken journal', async (t) => {
    const { store, file } = await filledStore(t);
    const database = new DatabaseSync(file('signalbox.db'));
    database.exec('UPDATE journal SET body = \'{"changed":true}\' WHERE seq = 7');
    database.close();
    await assert.rejects(pruneJournal(store, { before: 6_000_000, archive: file('a.jsonl') }), {
      code: 'file-unreadable',
      message: /after entry 6, or the journal is broken there: nothing was dropped/,
    });
    assert.deepEqual(await store.beginning(), { seq: 0, hash: '', at: 0 });
    assert.ok(!existsSync(file('a.jsonl')));
  });

  test('never overwrites a file, and drops nothing when the archive cannot be written', async (t) => {
    const { store, file } = await filledStore(t);
    const before = await verifyChain(store);
    writeFileSync(file('taken'), 'mine');
    for (const name of ['taken', 'no/such/directory'])
      await assert.rejects(pruneJournal(store, { before: 6_000_000, archive: file(name) }), {
        code: 'file-unwritable',
      });
    assert.equal(readFileSync(file('taken'), 'utf8'), 'mine');
    assert.deepEqual(await verifyChain(store), before);
  });

  test('runs while another process appends to the same journal, and no entry is lost', async (t) => {
    const { store, file } = await filledStore(t, 1500);
    const other = sqliteStore({ file: file('signalbox.db') });
    t.after(() => other.close());
    let written = 0;
    const done = new AbortController();
    const writing = (async () => {
      while (!done.signal.aborted) {
        const [entry] = await other.append([draft({ call: `other_${written}`, at: Date.now() })]);
        assert.ok(entry !== undefined);
        written += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const { entries } = await pruneJournal(store, { before: until, archive: file('a.jsonl') });
    done.abort();
    await writing;
    assert.ok(entries > 1500 && written > 30, `${entries} ${written}`);
    const both = await verifyWith(store, file('a.jsonl'));
    assert.equal(both.ok, true, JSON.stringify(both));
    const last = await store.entries({ order: 'newest-first', limit: 100_000 });
    assert.equal(last.filter(({ call }) => call.startsWith('other_')).length, written);
    assert.deepEqual(await store.entries({ order: 'oldest-first', limit: 9, text: 'nowhere to be found' }), []);
  });

  test('does not drop an idempotency key that another process claims meanwhile', async (t) => {
    const { store, file } = await filledStore(t, 1500);
    const other = sqliteStore({ file: file('signalbox.db') });
    t.after(() => other.close());
    const keys: string[] = [];
    const done = new AbortController();
    const writing = (async () => {
      while (!done.signal.aborted) {
        const key = `key_${keys.length}`;
        const started = { type: 'CallStarted', outcome: '', claim: { key, fingerprint: 'f' } } as const;
        await other.append([draft({ call: key, at: Date.now(), ...started })]);
        await other.append([draft({ call: key, at: Date.now(), settle: { key, outcome: '{}' } })]);
        keys.push(key);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await pruneJournal(store, { before: until, archive: file('a.jsonl') });
    done.abort();
    await writing;
    assert.ok(keys.length > 10, `${keys.length}`);
    const claims = await Promise.all(keys.map((key) => store.claim(key)));
    assert.deepEqual(
      claims.map((claim) => claim?.call),
      keys,
    );
  });

  test('leaves a valid journal when aborted while it drops, and the next run continues', async (t) => {
    const { store, file } = await filledStore(t, 1500);
    const whole = await verifyChain(store);
    const stop = new AbortController();
    const aborted = pruneJournal(store, {
      before: 2e13,
      archive: file('a.jsonl'),
      signal: stop.signal,
      onProgress: (doing) => doing === 'dropping' && stop.abort(),
    });
    await assert.rejects(aborted, { name: 'AbortError' });
    assert.equal(
      (await verifyWith(store, file('a.jsonl'))).ok,
      true,
      'the archive contains all dropped entries, and more',
    );
    await pruneJournal(store, { before: 2e13, archive: file('b.jsonl') });
    await assertContains(store, whole, 2, file('a.jsonl'), file('b.jsonl'));
  });

  test('keeps the archive when it is unknown whether the entries were dropped', async (t) => {
    const { store, file } = await filledStore(t);
    const whole = await verifyChain(store);
    // The response of the database is lost, as when a connection breaks after the commit.
    const unanswered = withDrop(store, async ({ onProgress: _, ...request }) => {
      await store.drop(request);
      throw new Error('the connection broke');
    });
    await assert.rejects(pruneJournal(unanswered, { before: 6_000_000, archive: file('a.jsonl') }), /connection broke/);
    await assertContains(store, whole, 1, file('a.jsonl'));
  });

  test('removes the archive when another process has pruned before', async (t) => {
    const { store, file } = await filledStore(t);
    const late = withDrop(store, async (request) => {
      await pruneJournal(store, { before: 3_000_000, archive: file('first.jsonl') });
      return await store.drop(request);
    });
    await assert.rejects(pruneJournal(late, { before: 6_000_000, archive: file('late.jsonl') }), {
      code: 'journal-pruned',
    });
    assert.ok(!existsSync(file('late.jsonl')));
  });

  test('detects a change of the first entry of an archive that follows another one', async (t) => {
    const { store, file } = await filledStore(t);
    await pruneJournal(store, { before: 3_000_000, archive: file('old.jsonl') });
    await pruneJournal(store, { before: 6_000_000, archive: file('later.jsonl') });
    const [first = '', ...lines] = readFileSync(file('later.jsonl'), 'utf8').trimEnd().split('\n');
    const forged = { ...(JSON.parse(first) as StoredEntry), body: '{"nothing":"happened"}' };
    writeFileSync(file('forged.jsonl'), `${[JSON.stringify(forged), ...lines].join('\n')}\n`);
    const found = await verifyWith(store, file('forged.jsonl'));
    assert.match(found.ok ? 'none' : found.problem, new RegExp(`in the archive, entry ${forged.seq} was changed`));
  });

  test('rejects an expected head that was pruned and is in no given archive', async (t) => {
    const { store, file } = await filledStore(t);
    await pruneJournal(store, { before: 3_000_000, archive: file('old.jsonl') });
    await pruneJournal(store, { before: 6_000_000, archive: file('later.jsonl') });
    const expected = { seq: 3, hash: 'f'.repeat(64) };
    const problemOf = async (...names: readonly string[]): Promise<string> => {
      const found = await verifyChain(store, { expected, archive: readArchives(names.map(file)) });
      return found.ok ? 'none' : found.problem;
    };
    assert.match(await problemOf('later.jsonl'), /entry 3 was pruned: pass the archives that contain it with --with/);
    assert.match(await problemOf('old.jsonl', 'later.jsonl'), /entry 3 is not the one that was anchored/);
  });

  test('does not break a verification that is in progress', async (t) => {
    const { store, file } = await filledStore(t, 3000);
    let pages = 0;
    const pruning: Pick<Store, 'anchor' | 'beginning' | 'entries'> = {
      anchor: () => store.anchor(),
      beginning: () => store.beginning(),
      async entries(query) {
        pages += 1;
        if (pages === 2) await pruneJournal(store, { before: until, archive: file('a.jsonl') });
        return store.entries(query);
      },
    };
    const found = await verifyChain(pruning);
    assert.deepEqual(found, await verifyChain(store));
    assert.ok(found.ok && pages > 2, JSON.stringify(found));
  });
});
