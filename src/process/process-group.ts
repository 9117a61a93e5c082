import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { minimalEnvironment } from './minimal-environment.ts';

/** A program to start. */
export interface ProgramOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const inputCloseTimeoutMs = 1000;
const terminateTimeoutMs = 2000;
const leftoverTimeoutMs = 500;

/** The running groups, by the process id of their leader. */
const running = new Set<number>();

// At exit, only synchronous work is possible.
process.on('exit', () => {
  for (const leader of running) signalGroup(leader, 'SIGKILL');
});

/** A program and everything that it starts, in a process group that is stopped as a whole. */
export class ProcessGroup {
  readonly child: Child;
  /** Resolves when all processes of the group have exited. */
  readonly ended: Promise<void>;
  readonly #exited: Promise<void>;

  /** Starts the program. A failure to start is an `error` event of the child. */
  constructor({ command, args = [], env = {}, cwd }: ProgramOptions) {
    this.child = spawn(command, args, {
      shell: false,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: minimalEnvironment(env),
      ...(cwd === undefined ? {} : { cwd }),
    });
    const { pid } = this.child;
    if (pid !== undefined) running.add(pid);
    this.#exited = new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.once('error', () => {
        if (pid === undefined) resolve();
      });
    });
    this.ended = this.#exited.then(() => this.#endLeftovers());
  }

  /** Closes the program's input, and if that does not end it, signals the group: SIGTERM, then SIGKILL. */
  async stop(): Promise<void> {
    this.child.stdin.end();
    if (!(await this.#exitsWithin(inputCloseTimeoutMs))) {
      this.#signal('SIGTERM');
      if (!(await this.#exitsWithin(terminateTimeoutMs))) this.#signal('SIGKILL');
    }
    await this.ended;
  }

  /** Kills the group. */
  async kill(): Promise<void> {
    this.#signal('SIGKILL');
    await this.ended;
  }

  async #exitsWithin(milliseconds: number): Promise<boolean> {
    const timer = new AbortController();
    const late = wait(milliseconds, false, { signal: timer.signal }).catch(() => false);
    const inTime = await Promise.race([this.#exited.then(() => true), late]);
    timer.abort();
    return inTime;
  }

  /** Kills what the program left running when it exits. */
  async #endLeftovers(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined) return;
    const until = Date.now() + leftoverTimeoutMs;
    for (let alive = signalGroup(pid, 'SIGTERM'); alive && Date.now() < until; alive = signalGroup(pid, 0))
      await wait(5);
    signalGroup(pid, 'SIGKILL');
    running.delete(pid);
    // A remaining process would hold the pipes open.
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream.destroy();
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, signal);
  }
}

/** Sends a signal to a group. Returns false when the group no longer exists. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    return false;
  }
}
