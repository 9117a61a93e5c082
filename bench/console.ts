/**
 * Measures the console with a large journal in a real browser: the time to the first paint, the time to the calls, also filtered,
 * and the smoothness of scrolling.
 *
 *   npm run bench -- console        100,000 calls; SIGNALBOX_BENCH_CALLS sets another number
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { findConsole } from '../src/host/daemon/console-build.ts';
import { sqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import { launchBrowser } from '../test/browser/launch-browser.ts';
import { seedJournal } from '../test/support/journal/seed-journal.ts';
import { median, quantile } from './support/measure.ts';

const calls = Number(process.env['SIGNALBOX_BENCH_CALLS'] ?? 100_000);
const rounds = Number(process.env['ROUNDS'] ?? 5);
const rowsToScroll = 5000;

await findConsole().directory;
const directory = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
const store = sqliteStore({ file: join(directory, 'signalbox.db') });
await seedJournal(store, { calls });
await store.close();

const program = join(import.meta.dirname, '..', 'bin', 'signalbox');
const env = { ...process.env, SIGNALBOX_HOME: directory, SIGNALBOX_SECRETS: 'file', SIGNALBOX_TRUST: 'all' };
const served = spawn(process.execPath, [program, 'serve', '--port', '0', '--json'], { cwd: directory, env });
const ended = once(served, 'close');
served.stderr.resume();
const [line] = (await once(createInterface(served.stdout), 'line')) as [string];
const { url, signInUrl } = JSON.parse(line) as { url: string; signInUrl: string };
const browser = await launchBrowser();
process.on('exit', () => {
  served.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** Records the time of the first row, in milliseconds since the navigation. */
const watchRows = `
const seen = new MutationObserver(() => {
  if (document.querySelector('a.call-row, .empty') === null) return;
  seen.disconnect();
  requestAnimationFrame(() => { globalThis.rowsAt = performance.now(); });
});
seen.observe(document, { childList: true, subtree: true });`;

/**
 * Scrolls the list by `step` in each frame, and records the frame times. With a step of 0, measures only the frame rate of the
 * machine.
 */
const scroll = (step: number): string => `(async (rows, step) => {
  const list = document.querySelector('.virtual-list');
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  let before = await frame();
  let waited = 0;
  while (list.scrollTop < rows * 36 && waited < 450) {
    const top = list.scrollTop;
    list.scrollTop += step;
    if (list.scrollTop === top) waited += 1;
    const now = await frame();
    times.push(now - before);
    before = now;
  }
  return { times, waited };
})(${rowsToScroll}, ${step})`;

async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  await context.addInitScript(watchRows);
  return context;
}

const first = await newContext();
await (await first.newPage()).goto(signInUrl);
const storageState = await first.storageState();

/** Returns the value of an expression as soon as it is defined. */
function awaited(page: Page, expression: string): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const look = () => { const value = ${expression}; value === undefined ? setTimeout(look, 5) : resolve(value); };
    look();
  })`);
}

/** Opens a page and returns the times of its first paint and its first rows. */
async function openPage(page: Page, path: string): Promise<{ paint: number; rows: number }> {
  await page.goto(url + path);
  const rows = path.startsWith('/calls') ? await awaited(page, 'globalThis.rowsAt') : Number.NaN;
  return { rows, paint: await awaited(page, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime") };
}

async function measureOpenings(path: string, isCold: boolean): Promise<void> {
  const times: { paint: number; rows: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await newContext({ storageState });
    const page = await context.newPage();
    // From here on, the browser has the files in its cache.
    if (!isCold) await openPage(page, '/inbox');
    times.push(await openPage(page, path));
    await context.close();
  }
  const [paint, rows] = [times.map((each) => each.paint), times.map((each) => each.rows)];
  const format = (values: readonly number[]): string =>
    Number.isNaN(values[0]) ? '' : `${Math.round(median(values))} (${Math.round(Math.min(...values))})`;
  console.log(`| \`${path}\`${isCold ? ', for the first time' : ''} | ${format(paint)} | ${format(rows)} |`);
}

const load = (): string => loadavg()[0]?.toFixed(1) ?? '';
console.log(`\n${calls.toLocaleString('en')} calls in the journal; load ${load()}\n`);
console.log('| ms since the page was requested: median (fastest) | first paint | first rows |\n|---|---|---|');
await measureOpenings('/', true);
await measureOpenings('/calls', true);
await measureOpenings('/calls', false);
for (const query of [
  'server=mail',
  'tool=mcp__ci__deploy&outcome=failed',
  'decision=deny',
  'session=session_7',
  'text=part',
  'text=zebra',
])
  await measureOpenings(`/calls?${query}`, false);

const context = await newContext({ storageState });
const page = await context.newPage();
await openPage(page, '/calls');
console.log(`\nScrolled through ${rowsToScroll.toLocaleString('en')} rows; load ${load()}\n`);
console.log('| ms for a frame | p50 | p95 | p99 | longest | over 50 ms | frames at the end of the loaded rows |');
console.log('|---|---|---|---|---|---|---|');
for (const [name, step] of [
  ['without scrolling', 0],
  ['11 rows in each frame', 400],
] as const) {
  const { times, waited } = await page.evaluate<{ times: number[]; waited: number }>(scroll(step));
  times.sort((a, b) => a - b);
  const late = `${times.filter((each) => each > 50).length} of ${times.length}`;
  const quantiles = [0.5, 0.95, 0.99, 1].map((share) => quantile(times, share).toFixed(1));
  const columns = [...quantiles, late, step === 0 ? '' : waited];
  console.log(`| ${name} | ${columns.join(' | ')} |`);
}

await browser.close();
served.kill('SIGTERM');
await ended;
