import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { builtLauncher } from '../support/processes/built-package.ts';
import { root } from '../support/command.ts';
import { within } from '../support/within.ts';

/** The built program under test, which starts faster than a checkout. */
export const launcher = builtLauncher();
/** The program as a checkout runs it. */
export const sourceLauncher = join(root, 'bin', 'signalbox');
const probe = spawnSync('script', ['--version'], { encoding: 'utf8' });
/** Whether tests can run commands on a terminal, which `script` of util-linux emulates. */
export const hasTerminal = probe.error === undefined && probe.stdout.includes('util-linux');
/** Options of tests that need a terminal. */
export const onTerminal = hasTerminal ? {} : { skip: 'needs script of util-linux to make a terminal' };
const workplace = mkdtempSync(join(tmpdir(), 'signalbox-cli-'));
const children = new Set<ChildProcessWithoutNullStreams>();
after(async () => {
  // Processes that a failed test left running would keep its file from ending.
  await Promise.all(Array.from(children, stopChild));
  rmSync(workplace, { recursive: true });
});
let places = 0;

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** The exit code of a command, and its output. */
export interface CliResult extends Output {
  readonly code: number | null;
}

/** A running `signalbox serve`. */
export interface CliServer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly pid: number;
  readonly url: string;
  readonly port: number;
  readonly signInUrl: string;
  readonly journal: string;
  readonly agents: readonly string[];
  /** Stops the server with SIGTERM, which must exit with 0, and returns all its output. */
  stop(): Promise<CliResult>;
}

/** Variables added to the environment of a command; `undefined` removes one. */
type Environment = Readonly<Record<string, string | undefined>>;

/** A new directory with files, and the CLI that runs in it. */
export class CliProject {
  readonly directory = join(workplace, String(places++));
  readonly data = join(this.directory, 'data');
  program = launcher;

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.directory, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.directory, name), text);
  }

  start(args: readonly string[], environment: Environment = {}): ChildProcessWithoutNullStreams {
    return this.#spawn(process.execPath, [this.program, ...args], environment);
  }

  /** Starts `signalbox serve` on a free port, and waits until it is ready. */
  async serve(environment: Environment = {}, ...options: readonly string[]): Promise<CliServer> {
    const child = this.start(['serve', '--port', '0', '--json', ...options], environment);
    const output = collectOutput(child);
    const closed = once(child, 'close');
    const ready = JSON.parse(await waitForOutput(child.stdout, /\}\n/)) as Omit<CliServer, 'child' | 'pid' | 'stop'>;
    const stop = async (): Promise<CliResult> => {
      child.kill('SIGTERM');
      const result = await exitOf(child, closed, output);
      assert.equal(result.code, 0, result.stderr);
      return result;
    };
    return { ...ready, child, pid: child.pid ?? 0, stop };
  }

  /** Starts a command on a terminal, without colors. */
  startOnTerminal(args: readonly string[], environment: Environment = {}): ChildProcessWithoutNullStreams {
    const command = [process.execPath, this.program, ...args]
      .map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`)
      .join(' ');
    const options = ['--quiet', '--return', '--command', command, '/dev/null'];
    return this.#spawn('script', options, { NO_COLOR: '1', TERM: 'xterm', ...environment });
  }

  /** Runs a command on a terminal, and types each answer after its prompt. */
  async dialogue(
    args: readonly string[],
    answers: readonly (readonly [prompt: RegExp, answer: string])[],
    environment: Environment = {},
  ): Promise<CliResult> {
    const child = this.startOnTerminal(args, environment);
    const ended = waitForExit(child);
    for (const [prompt, answer] of answers) {
      await waitForOutput(child.stdout, prompt);
      child.stdin.write(answer);
    }
    return ended;
  }

  /** Returns the parameters of a client transport that runs `signalbox stdio` in this directory. */
  stdioServer() {
    const variables = process.env as Record<string, string>;
    return {
      command: process.execPath,
      args: [this.program, 'stdio'],
      cwd: this.directory,
      env: { ...variables, SIGNALBOX_HOME: this.data, SIGNALBOX_SECRETS: 'file' },
      stderr: 'ignore' as const,
    };
  }

  #spawn(program: string, args: readonly string[], environment: Environment): ChildProcessWithoutNullStreams {
    const env = {
      ...process.env,
      SIGNALBOX_HOME: this.data,
      SIGNALBOX_TOKEN: '',
      SIGNALBOX_SECRETS: 'file',
      ...environment,
    };
    const child = spawn(program, args, { cwd: this.directory, env });
    children.add(child);
    child.once('close', () => children.delete(child));
    return child;
  }

  async run(args: readonly string[], options: { input?: string; environment?: Environment } = {}): Promise<CliResult> {
    const child = this.start(args, options.environment);
    child.stdin.end(options.input ?? '');
    return waitForExit(child);
  }

  /** Runs a command with `--json` that must exit with `code`, and returns its parsed output. */
  async json(args: readonly string[], code = 0): Promise<Record<string, unknown>> {
    const result = await this.run([...args, '--json']);
    assert.equal(result.code, code, result.stderr);
    return JSON.parse(code === 2 ? result.stderr : result.stdout) as Record<string, unknown>;
  }
}

/** Waits until a process has exited, and returns its exit code and output. */
export async function waitForExit(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  return exitOf(child, once(child, 'close'), collectOutput(child));
}

function collectOutput(child: ChildProcessWithoutNullStreams): Output {
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return output;
}

async function exitOf(
  child: ChildProcessWithoutNullStreams,
  closed: Promise<unknown[]>,
  output: Output,
): Promise<CliResult> {
  const [code] = await within(
    closed,
    `the end of ${child.spawnargs.slice(2).join(' ')}`,
    () => output.stdout + output.stderr,
  );
  return { code: code as number | null, ...output };
}

/** Ends a process with SIGTERM, or with SIGKILL after ten seconds. */
async function stopChild(child: ChildProcessWithoutNullStreams): Promise<void> {
  const closed = once(child, 'close');
  child.stdout.resume();
  child.stderr.resume();
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await closed;
  clearTimeout(killTimer);
}

/** Waits until the output of a stream matches `expected`, and returns all output so far. */
export function waitForOutput(stream: NodeJS.ReadableStream, expected: RegExp): Promise<string> {
  let text = '';
  const matched = new Promise<string>((resolve, reject) => {
    stream.on('data', (chunk: Buffer | string) => {
      text += String(chunk);
      if (expected.test(text)) resolve(text);
    });
    stream.on('end', () => reject(new Error(`ended without ${expected}: ${text}`)));
  });
  return within(matched, String(expected), () => text);
}

/** A module of tools that also prints and leaves a timer behind, as modules should not. */
export const notesModule = `
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
export const notesConfiguration = JSON.stringify({ mcpServers: { notes: { module: './notes.ts' } } });
/** The files of a project with these tools. */
export const notesProject = { 'notes.ts': notesModule, 'signalbox.config.json': notesConfiguration };
