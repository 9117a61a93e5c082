/**
 * Measures the first steps of a new user: clone, `npm install`, `npm start`, and the tour in a real browser and in a terminal,
 * from the first message to a call that was approved and undone. Uses the committed files.
 *
 *   npm run bench -- newcomer
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { launchBrowser } from '../test/browser/launch-browser.ts';
import { storeFigure } from './support/results.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'signalbox-newcomer-'));
const clone = join(directory, 'signalbox');
const data = join(directory, 'data');
// As on a new user's machine: without the directories that npm prepends to the PATH of this script.
const path = (process.env['PATH'] ?? '').split(delimiter).filter((part) => !part.includes('node_modules'));
const env = {
  ...process.env,
  PATH: path.join(delimiter),
  SIGNALBOX_HOME: data,
  SIGNALBOX_TOKEN: '',
  SIGNALBOX_SECRETS: 'file',
};
const steps: { readonly step: string; readonly seconds: string }[] = [];

async function timed<Value>(step: string, work: () => Promise<Value>): Promise<Value> {
  const started = performance.now();
  const value = await work();
  steps.push({ step, seconds: ((performance.now() - started) / 1000).toFixed(1) });
  return value;
}

/** Waits for the banner, and returns its sign-in link. */
async function linkOf({ stdout, stderr }: ChildProcess): Promise<string> {
  let text = '';
  for (const stream of [stdout, stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  for (let waited = 0; waited < 120_000; waited += 50) {
    const link = /Console +(http\S+)/.exec(text)?.[1];
    if (link !== undefined) return link;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`npm start printed no link: ${text}`);
}

async function tourInBrowser(link: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(link);
    await page.getByRole('button', { name: 'New session' }).first().click();
    await page.getByRole('button', { name: 'Create session' }).click();
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill('run the tour');
    await message.press('Enter');
    const write = page.getByRole('region', { name: 'Call of write_note' });
    await write
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click();
    const send = page.getByRole('region', { name: 'Call of send_note' });
    await send
      .getByRole('button', { name: /^Approve/ })
      .first()
      .click();
    // An irreversible call needs a second step.
    await send.getByRole('button', { name: 'Yes, run it' }).click();
    await page.getByText('That was the tour.').waitFor();
    if (!existsSync(join(data, 'demo', 'tour.txt'))) throw new Error('the note was not written');
    await write.getByRole('button', { name: 'Undo' }).click();
    await write.getByText('undone', { exact: true }).waitFor();
    if (existsSync(join(data, 'demo', 'tour.txt'))) throw new Error('the note is still there');
  } finally {
    await browser.close();
  }
}

async function tourInTerminal(): Promise<void> {
  const signalbox = async (...args: string[]): Promise<string> =>
    (await run(join(clone, 'bin', 'signalbox'), args, { cwd: clone, env })).stdout;
  await signalbox('status');
  await signalbox('tools');
  await signalbox('call', 'ping');
  const journal = await signalbox('journal');
  const [, seq = ''] = /^ *(\d+) .* completed +mcp__demo__write_note/m.exec(journal) ?? [];
  await signalbox('policy', 'explain', seq);
  await signalbox('journal', 'verify');
}

let server: ChildProcess | undefined;
try {
  await timed('git clone', () => run('git', ['clone', '--quiet', repository, clone]));
  await timed('npm install', () => run('npm', ['install', '--no-fund', '--no-audit'], { cwd: clone, env }));
  const started = spawn('npm', ['start', '--', '--port', '0'], { cwd: clone, env, detached: true });
  server = started;
  const link = await timed('npm start, to the banner', () => linkOf(started));
  await timed('the tour in the browser: ask, approve, undo', () => tourInBrowser(link));
  await timed('the terminal: status, tools, call, journal, why, verify', tourInTerminal);
} finally {
  if (server?.pid !== undefined && server.exitCode === null) {
    const over = once(server, 'exit');
    process.kill(-server.pid, 'SIGTERM');
    await over;
  }
  rmSync(directory, { recursive: true, force: true });
}
const bars = steps.map(({ step, seconds }) => ({ name: step, value: Number(seconds) }));
storeFigure({ title: 'From a clone to an approved and undone call', unit: 's', isMoreBetter: false, bars });
const { stdout: node } = await run('node', ['--version'], { env });
console.log(`The first steps of a new user, with Node ${node.trim()} of the machine\n`);
console.table(steps);
console.log(`total: ${steps.reduce((sum, { seconds }) => sum + Number(seconds), 0).toFixed(1)} s`);
