import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { JsonObject } from '../../src/core/json/json.ts';
import type { RpcLink } from './rpc-client.ts';

/** The command, environment and directory of a program. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const stopGraceMs = 3000;
const maxErrorChars = 2000;

/** Starts an MCP server as the leader of its own process group and exchanges lines of JSON with it. */
export class StdioLink implements RpcLink {
  onMessage: (message: JsonObject) => void = () => undefined;
  onClose: (reason: Error) => void = () => undefined;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #errors = '';

  constructor({ command, args, env, cwd }: Launch) {
    const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-maxErrorChars);
    });
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(line));
    this.#ended = new Promise((resolve) => {
      const end = (reason: string): void => {
        this.onClose(new Error(`${reason}; stderr: ${this.#errors.trim() || 'empty'}`));
        resolve();
      };
      child.on('error', (error) => end(`cannot start ${command}: ${error.message}`));
      child.on('exit', (code, signal) => end(`the server ended with ${code ?? signal}`));
    });
  }

  send(message: JsonObject): Promise<void> {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
    return Promise.resolve();
  }

  /** Closes the input, then stops the whole process group. */
  async close(): Promise<void> {
    this.#child.stdin?.end();
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await this.#endsWithin(stopGraceMs)) break;
      this.#kill(signal);
    }
    this.#kill('SIGKILL');
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
    const ended = this.#ended.then(() => true);
    return Promise.race([ended, late]).finally(() => clearTimeout(timer));
  }

  #kill(signal: NodeJS.Signals): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch {
      // The group has ended.
    }
  }

  #read(line: string): void {
    try {
      this.onMessage(JSON.parse(line) as JsonObject);
    } catch {
      // Some servers print a banner to standard output, which clients ignore.
    }
  }
}
