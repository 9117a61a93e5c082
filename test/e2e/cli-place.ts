import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { builtLauncher } from '../support/built-package.ts';
import { root } from '../support/command.ts';
import { within } from '../support/within.ts';

/** The program under test: as it is installed, which starts faster than a checkout. */
export const launcher = builtLauncher();
/** The same as a checkout runs it. */
export const sourceLauncher = join(root, 'bin', 'signalbox');
const workplace = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
const children = new Set<ChildProcessWithoutNullStreams>();
after(async () => {
  // What a failed test did not get to end would keep its file from ending.
  await Promise.all(Array.from(children, endOf));
  rmSync(workplace, { recursive: true });
});
let places = 0;

/** How a command ended, and what it said. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory of its own with files, and the command line in it. */
export class Place {
  readonly directory = join(workplace, String(places++));
  readonly data = join(this.directory, 'data');
  program = launcher;

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.directory, name), text);
  }

  start(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcessWithoutNullStreams {
    const env = {
      ...process.env,
      SIGNALBOX_HOME: this.data,
      SIGNALBOX_TOKEN: '',
      SIGNALBOX_SECRETS: 'file',
      ...environment,
    };
    const child = spawn(process.execPath, [this.program, ...args], { cwd: this.directory, env });
    children.add(child);
    child.once('close', () => children.delete(child));
    return child;
  }

  async run(
    args: readonly string[],
    given: { input?: string; environment?: Readonly<Record<string, string>> } = {},
  ): Promise<Finished> {
    const child = this.start(args, given.environment);
    child.stdin.end(given.input ?? '');
    return finished(child);
  }

  /** Runs a command with `--json` that must end with this code, and reads what it printed. */
  async json(args: readonly string[], code = 0): Promise<Record<string, unknown>> {
    const result = await this.run([...args, '--json']);
    assert.equal(result.code, code, result.stderr);
    return JSON.parse(code === 2 ? result.stderr : result.stdout) as Record<string, unknown>;
  }
}

/** Waits until a process is gone; answers how it ended and what it said. */
export async function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [code] = await within(closed, `the end of ${child.spawnargs.slice(2).join(' ')}`, () => stdout + stderr);
  return { code, stdout, stderr };
}

/** Ends a process: kindly, so that it ends its own, then not. */
async function endOf(child: ChildProcessWithoutNullStreams): Promise<void> {
  const closed = once(child, 'close');
  child.stdout.resume();
  child.stderr.resume();
  child.kill('SIGTERM');
  const impatient = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await closed;
  clearTimeout(impatient);
}

/** Waits until the stream has said something that fits; answers everything it said. */
export function said(stream: NodeJS.ReadableStream, expected: RegExp): Promise<string> {
  let text = '';
  const fits = new Promise<string>((resolve, reject) => {
    stream.on('data', (chunk: Buffer | string) => {
      text += String(chunk);
      if (expected.test(text)) resolve(text);
    });
    stream.on('end', () => reject(new Error(`ended without ${expected}: ${text}`)));
  });
  return within(fits, String(expected), () => text);
}

/** A module of tools that also does what modules should not: it prints, and leaves a timer behind. */
export const notes = `
import { defineTool } from 'signalbox';
console.log('a module that prints');
setInterval(() => {}, 60_000);
export const list = defineTool({ name: 'list', description: 'Lists notes.', effect: 'read', run: () => ['milk'] });
export const add = defineTool({
  name: 'add', description: 'Adds a note.', effect: 'irreversible',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const,
  run: ({ text }) => 'added ' + text,
});
export const wait = defineTool({
  name: 'wait', description: 'Waits.', effect: 'read',
  run: (_args, context) => new Promise((resolve) => { console.error('waiting'); setTimeout(resolve, 60_000); }),
});
export const odd = defineTool({ name: 'odd', description: 'Odd schema.', effect: 'read', input: { type: 'object', properties: { a: { type: 'strin' } } }, run: () => 1 });
`;
export const configuration = JSON.stringify({ mcpServers: { notes: { module: './notes.ts' } } });
/** The files of a place that has those tools. */
export const withNotes = { 'notes.ts': notes, 'signalbox.config.json': configuration };
