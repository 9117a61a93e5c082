import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { minimalEnvironment } from './minimal-environment.ts';

/** How a program is started. */
export interface ProgramOptions {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const kindlyMs = 1000;
const firmlyMs = 2000;
const leftoversMs = 500;

/** The groups that run now, by the id of their leader. */
const running = new Set<number>();

// The last moment at which anything can be done, and only at once.
process.on('exit', () => {
  for (const leader of running) signalGroup(leader, 'SIGKILL');
});

/** A program and everything it starts: a process group of its own, which is ended as a whole. */
export class ProcessGroup {
  readonly child: Child;
  /** Resolves when nothing of the group is left. */
  readonly ended: Promise<void>;
  readonly #exited: Promise<void>;

  /** Starts the program; that it cannot be started is an `error` event of the child. */
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
    if (!(await this.#exitsWithin(kindlyMs))) {
      this.#signal('SIGTERM');
      if (!(await this.#exitsWithin(firmlyMs))) this.#signal('SIGKILL');
    }
    await this.ended;
  }

  /** Ends the group at once. */
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

  /** Whatever the program started does not outlive it. */
  async #endLeftovers(): Promise<void> {
    const { pid } = this.child;
    if (pid === undefined) return;
    const until = Date.now() + leftoversMs;
    for (let alive = signalGroup(pid, 'SIGTERM'); alive && Date.now() < until; alive = signalGroup(pid, 0))
      await wait(5);
    signalGroup(pid, 'SIGKILL');
    running.delete(pid);
    // A leftover that held the pipes would have kept them open.
    for (const stream of [this.child.stdin, this.child.stdout, this.child.stderr]) stream.destroy();
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.child.pid !== undefined) signalGroup(this.child.pid, signal);
  }
}

/** Signals a group; false when nothing is left of it. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    return false;
  }
}
