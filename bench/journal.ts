/**
 * Measures reads of a large journal over HTTP, as the console makes them: the first page of calls, filtered pages, one call, the
 * statistics. Also measures how long they block the event loop of the server, which delays calls.
 *
 *   npm run bench -- journal        100,000 calls; SIGNALBOX_BENCH_CALLS sets another number
 */
import { openSignalbox } from '../src/signalbox/create-signalbox.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { startServer } from '../src/server/start-server.ts';
import { sqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { seedJournal } from '../test/support/journal/seed-journal.ts';
import { durationOf, median } from './support/measure.ts';

const calls = Number(process.env['SIGNALBOX_BENCH_CALLS'] ?? 100_000);
const rounds = 9;
const token = 'bench-token';
const day = 24 * 60 * 60 * 1000;
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const store = sqliteStore({ file: join(directory, 'signalbox.db') });
const now = Date.now();
await seedJournal(store, { calls, until: now });
const box = await openSignalbox({ store });
const server = await startServer({ box, host: '127.0.0.1', port: 0, token });

async function read(path: string): Promise<{ items?: { callId: string }[] }> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { items?: { callId: string }[] };
}

const { items: [first] = [] } = await read('/api/calls?limit=1');
const pages: Readonly<Record<string, string>> = {
  'first page of calls': '/api/calls',
  'of one tool': '/api/calls?tool=mcp__ci__deploy',
  'of one server': '/api/calls?server=mail',
  'of a server without calls': '/api/calls?server=none',
  'of one session': '/api/calls?session=session_7',
  'that were denied': '/api/calls?decision=deny',
  'with an unknown outcome': '/api/calls?outcome=unknown',
  'of one principal': '/api/calls?principal=user-3',
  'of nobody': '/api/calls?principal=nobody',
  'six days ago': `/api/calls?until=${now - 6 * day}`,
  'with a common text': '/api/calls?text=part',
  'with a text that does not occur': '/api/calls?text=zebra',
  'one call': `/api/calls/${first?.callId}`,
  'statistics of a day': '/api/statistics',
  'statistics of a week': `/api/statistics?since=${now - 7 * day}`,
  'statistics of a week, one tool': `/api/statistics?since=${now - 7 * day}&tool=mcp__search__web_search`,
};

console.log(`\n${calls.toLocaleString('en')} calls in the journal\n`);
console.log('| | median ms | fastest ms | longest block of the event loop, ms |\n|---|---|---|---|');
for (const [name, path] of Object.entries(pages)) {
  const times: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await read(path);
  delay.enable();
  for (let round = 0; round < rounds; round += 1) {
    times.push(await durationOf(() => read(path)));
  }
  delay.disable();
  const columns = [median(times), Math.min(...times), delay.max / 1e6].map((each) => each.toFixed(1));
  console.log(`| ${name} | ${columns.join(' | ')} |`);
}
await server.close();
await box.close();
rmSync(directory, { recursive: true });
