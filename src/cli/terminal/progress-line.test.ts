import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { createSignalbox } from '../../signalbox/create-signalbox.ts';
import { createProgram } from '../program.ts';
import { ProgressLine } from './progress-line.ts';
import type { Printer } from './terminal.ts';

/** Creates the printer of a terminal or pipe, and collects its output. */
function createPrinter(isTTY: boolean): { printer: Printer; texts: string[] } {
  const texts: string[] = [];
  const printer: Printer = {
    stream: new PassThrough(),
    isTTY,
    width: isTTY ? 80 : undefined,
    colors: pc.createColors(false),
    closed: new AbortController().signal,
    print(text) {
      texts.push(stripVTControlCharacters(text).trim());
      return Promise.resolve();
    },
  };
  return { printer, texts };
}

/** Shows an operation that takes some seconds of virtual time. */
async function runFor(t: TestContext, line: ProgressLine, seconds: number, meanwhile?: () => void): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  t.mock.timers.enable({ apis: ['setInterval'] });
  const waited = line.during('starting 2 servers', () => promise);
  meanwhile?.();
  t.mock.timers.tick(seconds * 1000);
  resolve('done');
  return await waited;
}

describe('ProgressLine.during', () => {
  test('shows the elapsed seconds on a terminal, and clears the line at the end', async (t) => {
    const { printer, texts } = createPrinter(true);
    assert.equal(await runFor(t, new ProgressLine(printer), 2), 'done');
    assert.deepEqual(texts, ['starting 2 servers … 1 s', 'starting 2 servers … 2 s', '']);
  });

  test('shows nothing in a pipe, or for less than a second', async (t) => {
    const pipe = createPrinter(false);
    await runFor(t, new ProgressLine(pipe.printer), 3);
    t.mock.timers.reset();
    const terminal = createPrinter(true);
    await runFor(t, new ProgressLine(terminal.printer), 0.9);
    assert.deepEqual([pipe.texts, terminal.texts], [[], []]);
  });

  test('shows nothing while the work reports progress or asks a question', async (t) => {
    const { printer, texts } = createPrinter(true);
    const line = new ProgressLine(printer);
    await runFor(t, line, 3, () => line.show({ progress: 1, total: 4, message: 'reading' }));
    assert.deepEqual(texts, ['1/4 reading', '']);
    t.mock.timers.reset();
    const asked = Promise.withResolvers<void>();
    await runFor(t, line, 3, () => void line.pauseFor(() => asked.promise));
    asked.resolve();
    assert.deepEqual(texts.slice(2), []);
  });
});

describe('the progress of commands', () => {
  /** Runs a command in which every wait takes a second. Returns its progress messages. */
  async function progressOf(t: TestContext, ...argv: readonly string[]): Promise<string[]> {
    const [output, errors] = [createPrinter(false), createPrinter(true)];
    const terminal = { input: new PassThrough(), output: output.printer, errors: errors.printer, canAsk: false };
    const program = await createProgram({ terminal, exitWith: (code) => assert.equal(code, 0) }, argv);
    t.mock.method(globalThis, 'setInterval', (tick: () => void) => tick());
    await program.parseAsync(argv, { from: 'user' });
    t.mock.restoreAll();
    return errors.texts.filter((text) => text !== '');
  }

  function directoryOf(t: TestContext): string {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-progress-'));
    t.after(() => rmSync(directory, { recursive: true }));
    return directory;
  }

  test('replay reports that it reads the session and runs its calls', async (t) => {
    const data = directoryOf(t);
    const box = await createSignalbox({ data });
    await box.call('mcp__signalbox__ping', {}, { session: 'monday' });
    await box.close();
    assert.deepEqual(await progressOf(t, 'replay', 'monday', '--data', data), [
      'reading the session … 1 s',
      'running its calls again … 1 s',
    ]);
  });

  test('import reports that it searches for servers and stores secrets', async (t) => {
    const home = directoryOf(t);
    const before = { HOME: process.env['HOME'], SIGNALBOX_SECRETS: process.env['SIGNALBOX_SECRETS'] };
    t.after(() => void Object.assign(process.env, before));
    Object.assign(process.env, { HOME: home, SIGNALBOX_SECRETS: 'file' });
    writeFileSync(
      join(home, '.claude.json'),
      JSON.stringify({ mcpServers: { desk: { command: 'desk', env: { DESK_TOKEN: 'abcdefghijklmnop' } } } }),
    );
    const config = join(home, 'signalbox.config.json');
    assert.deepEqual(await progressOf(t, 'import', '--yes', '--config', config, '--data', join(home, 'data')), [
      'searching for servers of other clients … 1 s',
      'storing their secrets … 1 s',
    ]);
  });
});
