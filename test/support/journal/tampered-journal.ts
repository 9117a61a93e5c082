import type { InternalSignalbox } from '../../../src/signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../src/signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { journalSealer } from '../../../src/config/secrets/journal-key.ts';
import type { Store } from '../../../src/journal/store/store.ts';
import { type JournalVerification, verifyJournal } from '../../../src/journal/integrity/verify-journal.ts';
import { defineTool } from '../../../src/sources/local/define-tool.ts';
import { localServer } from '../../../src/sources/local/local-server.ts';
import { sqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { temporaryDirectory } from '../temporary-directory.ts';

export const human = { id: 'user:ada', kind: 'human' } as const;
export const bot = { id: 'bot', kind: 'agent' } as const;

function bankServer(): ReturnType<typeof localServer> {
  const input = { type: 'object', properties: { amount: { type: 'number' } } };
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input,
    effect: 'irreversible',
    run: () => 'paid',
  });
  const look = defineTool({ name: 'look', description: 'Looks.', input, effect: 'read', run: () => 'seen' });
  const run = (): { items: string[] } => ({ items: ['first', 'second'] });
  const list = defineTool({ name: 'list', description: 'Lists.', input, effect: 'read', run });
  return localServer({ name: 'bank', tools: [pay, look, list] });
}

/** A data directory and its store file. */
export interface JournalFiles {
  readonly data: string;
  readonly file: string;
}

/** Creates a data directory with reads, an approved and used payment, a remembered approval and a pending one. */
export async function fillJournal(
  t: TestContext,
  store?: (files: JournalFiles) => Promise<Store>,
): Promise<JournalFiles> {
  const data = temporaryDirectory(t);
  const files = { data, file: join(data, 'signalbox.db') };
  await withBox(files, store, async (box) => {
    for (let index = 0; index < 10; index++) await box.call('mcp__bank__look', {}, { principal: bot, session: 's' });
    await approve(box, 1);
    await approve(box, 2, 'arguments');
    await box.call('mcp__bank__pay', { amount: 3 }, { principal: bot, waitMs: 0 });
  });
  return files;
}

/** Opens a box on the files, or on the store, and closes it after the work. */
export async function withBox(
  { data }: JournalFiles,
  store: ((files: JournalFiles) => Promise<Store>) | undefined,
  work: (box: InternalSignalbox) => Promise<void>,
): Promise<void> {
  const storage = store === undefined ? { data } : { store: await store({ data, file: '' }) };
  const box = await openSignalbox({ servers: [bankServer()], ...storage });
  try {
    await work(box);
  } finally {
    await box.close();
  }
}

async function approve(
  box: InternalSignalbox,
  amount: number,
  remember: 'arguments' | 'nothing' = 'nothing',
): Promise<void> {
  const call = (): ReturnType<InternalSignalbox['call']> =>
    box.call('mcp__bank__pay', { amount }, { principal: bot, session: 's', waitMs: 0 });
  assert.equal((await call()).outcome, 'awaiting-approval');
  const [request] = await box.approvals.list();
  assert.ok(request !== undefined);
  await box.approvals.approve(request.id, { by: human, remember });
  assert.equal((await call()).outcome, 'completed');
}

/**
 * Returns the result of `verify` after an edit of the file, and again after another call: continued use must not hide the edit.
 */
export async function verifyAfter(
  files: JournalFiles,
  edit: (database: DatabaseSync) => void,
): Promise<readonly string[]> {
  const database = new DatabaseSync(files.file);
  edit(database);
  database.close();
  const first = await verify(files);
  await withBox(files, undefined, async (box) => {
    await box.call('mcp__bank__look', {}, { principal: bot });
  });
  return [first, await verify(files)].map((each) => (each.ok ? `holds (${each.authentication.state})` : each.problem));
}

export async function verify({ data, file }: JournalFiles): Promise<JournalVerification> {
  const store = sqliteStore({ file, sealer: await journalSealer(data) });
  try {
    return await verifyJournal(store);
  } finally {
    await store.close();
  }
}

/** An edit of the database, and the problem that `verify` then reports. */
export type ReportedEdit = readonly [edit: string, expected: RegExp];

/** Asserts that `verify` reports each edit, in a copy of the files. */
export async function reportsForgeries(
  t: TestContext,
  files: JournalFiles,
  edits: readonly ReportedEdit[],
): Promise<void> {
  for (const [edit, expected] of edits) {
    const copy = { data: `${files.data}-copy`, file: join(`${files.data}-copy`, 'signalbox.db') };
    cpSync(files.data, copy.data, { recursive: true });
    t.after(() => rmSync(copy.data, { recursive: true, force: true }));
    const problems = await verifyAfter(copy, (database) => {
      assert.ok(Number(database.prepare(edit).run().changes) > 0, edit);
    });
    for (const problem of problems) assert.match(problem, expected, edit);
    rmSync(copy.data, { recursive: true });
  }
}
