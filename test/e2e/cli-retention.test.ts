import { openSignalbox } from '../../src/signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { postgresStore, sqliteStore } from '../../src/index.ts';
import { readArchives } from '../../src/journal/pruning/archive-file.ts';
import { verifyChain } from '../../src/journal/integrity/hash-chain.ts';
import type { Store } from '../../src/journal/store/store.ts';
import { startRetention } from '../../src/host/daemon/retention.ts';
import { until } from '../mcp-servers/boxed.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { seedJournal } from '../support/journal/seed-journal.ts';
import { CliProject } from './cli-project.ts';

const cluster = await startPostgres();
after(() => cluster.end());
const day = 86_400_000;

/** Both kinds of store, for a journal over thirty days. */
const projects: readonly (readonly [string, () => Promise<{ project: CliProject; open(): Promise<Store> }>])[] = [
  [
    'SQLite',
    async () => {
      const project = new CliProject();
      return { project, open: async () => sqliteStore({ file: join(project.data, 'signalbox.db') }) };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const address = cluster.address('retention');
      const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ store: address }) });
      return { project, open: () => postgresStore({ address }) };
    },
  ],
];

for (const [kind, createProject] of projects)
  suite(`retention in ${kind}`, () => {
    test('journal prune exports and deletes entries; verify, lists and statistics report what was pruned', async () => {
      const { project, open } = await createProject();
      const store = await open();
      await seedJournal(store, { calls: 600, spanMs: 30 * day });
      await store.close();
      const before = await project.json(['journal', 'verify']);
      const dryRun = await project.json(['journal', 'prune', '--older-than', '10d', '--dry-run']);
      const archive = join(project.directory, 'old.jsonl.gz');
      const pruned = await project.run(['journal', 'prune', '--older-than', '10d', '--export', archive]);
      assert.equal(pruned.code, 0, pruned.stderr);
      assert.match(
        pruned.stdout,
        new RegExp(`^${String(dryRun['entries'])} entries \\(1 to \\d+\\) written to .* and deleted`),
      );
      const rest = await project.json(['journal', 'verify']);
      // Pruning adds an entry.
      assert.equal(Number(rest['entries']), Number(before['entries']) - Number(dryRun['entries']) + 1);
      const both = await project.json(['journal', 'verify', '--with', archive, '--head', String(before['head'])]);
      assert.deepEqual([both['ok'], both['entries']], [true, Number(before['entries']) + 1]);
      const listed = await project.run(['journal', '--limit', '100000']);
      assert.match(listed.stderr, /entries up to \d+ \(\S+Z\) were pruned/);
      assert.equal(
        (await project.run(['journal', 'prune', '--older-than', '10d'])).code,
        2,
        'nothing is deleted without an export',
      );

      const token = 'a-token-of-this-test';
      const { url, stop } = await project.serve({ SIGNALBOX_TOKEN: token });
      const get = async (path: string): Promise<Record<string, unknown>> => {
        const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
        return (await response.json()) as Record<string, unknown>;
      };
      const statistics = await get(`/api/statistics?since=${Date.now() - 20 * day}`);
      assert.match(String(statistics['prunedUntil']), /^\d{4}-/, JSON.stringify(statistics).slice(0, 300));
      assert.equal((await get(`/api/statistics?since=${Date.now() - day}`))['prunedUntil'], undefined);
      const page = await get('/api/journal?order=oldest-first&limit=1000');
      const more = await get('/api/calls?limit=2');
      assert.ok(typeof page['pruned'] === 'object' && more['pruned'] === undefined, JSON.stringify(more));
      await stop();
    });
  });

test('servers prune as configured, several servers on one store do not interfere, and no entry is lost', async (t) => {
  const address = cluster.address('several');
  const project = new CliProject();
  const stores = await Promise.all([1, 2, 3].map(() => postgresStore({ address })));
  const [first] = stores;
  assert.ok(first !== undefined);
  await seedJournal(first, { calls: 3000, spanMs: 30 * day });
  const before = await verifyChain(first);
  const boxes = await Promise.all(stores.map((store) => openSignalbox({ store, data: project.data })));
  t.after(() => Promise.all(boxes.map((box) => box.close())));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  const warnings: string[] = [];
  const log = { warn: (text: string) => void warnings.push(text) };
  const exportTo = join(project.directory, 'archives');
  const stops = boxes.map((box) => startRetention(box, () => ({ journalMs: 10 * day, exportTo }), log, 20));
  await until(async () => {
    const [oldest] = await first.entries({ order: 'oldest-first', limit: 1 });
    return oldest !== undefined && oldest.at > Date.now() - 11 * day;
  }, 'the old entries are pruned');
  await Promise.all(stops.map((stop) => stop()));
  const archives = readdirSync(exportTo).map((name) => join(exportTo, name));
  assert.ok(before.ok);
  const whole = await verifyChain(first, { archive: readArchives(archives.toSorted()), expected: before.head });
  assert.ok(whole.ok && whole.entries > before.entries, JSON.stringify(whole));
  assert.deepEqual(warnings, []);
});
