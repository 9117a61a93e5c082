import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** A process in /proc. The start time distinguishes it from a later one with the same id. */
interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly startedAt: string;
}

/** A process of this run. */
interface Watched extends ProcessEntry {
  /** The key of our child process from which it descends, if known. */
  readonly owner: string | undefined;
  /** The time at which it was first seen without its owner. */
  orphanedAt?: number;
}

const marker = `SIGNALBOX_TEST_RUN=${process.pid}-${Date.now()}`;
const graceMs = 3000;

/**
 * Watches all descendants of this process: by a mark in the inherited environment, and by sampling the process tree, because
 * Signalbox gives its servers a separate environment. Requires /proc (Linux).
 */
export class ProcessWatch {
  readonly #watched = new Map<string, Watched>();
  readonly #left: string[] = [];
  readonly #timer: NodeJS.Timeout | undefined;

  constructor() {
    const [name = '', value] = marker.split('=');
    process.env[name] = value;
    if (existsSync('/proc/self/stat')) this.#timer = setInterval(() => this.#endOrphans(), 250).unref();
  }

  /** Kills running descendants after a grace period. Returns the processes that outlived their test file, one line each. */
  async leftBehind(): Promise<readonly string[]> {
    await this.#grace();
    for (const orphan of this.#alive()) this.#leave(orphan);
    return this.#left;
  }

  /** Stops all descendants, first with SIGTERM, then with SIGKILL. */
  async end(): Promise<void> {
    for (const { pid } of this.#alive()) kill(pid, 'SIGTERM');
    await this.#grace();
    for (const { pid } of this.#alive()) kill(pid, 'SIGKILL');
  }

  async #grace(): Promise<void> {
    const until = Date.now() + graceMs;
    while (this.#alive().length > 0 && Date.now() < until) await wait(50);
  }

  /** Kills orphans, which may hold the pipes of their test file, for which node:test would wait. */
  #endOrphans(): void {
    const alive = this.#alive();
    const running = new Set(alive.map(keyOf));
    for (const entry of alive) {
      if (entry.owner === undefined || running.has(entry.owner)) continue;
      entry.orphanedAt ??= Date.now();
      if (Date.now() - entry.orphanedAt > graceMs) this.#leave(entry);
    }
  }

  #leave(entry: Watched): void {
    this.#left.push(`process ${entry.pid}: ${commandLine(entry.pid)}`);
    this.#watched.delete(keyOf(entry));
    kill(entry.pid, 'SIGKILL');
  }

  #alive(): Watched[] {
    if (this.#timer === undefined) return [];
    const byId = new Map<number, Watched>();
    for (const entry of readProcesses()) {
      const owner = entry.parent === process.pid ? keyOf(entry) : byId.get(entry.parent)?.owner;
      const known = this.#watched.get(keyOf(entry));
      if (known === undefined && owner === undefined && !isMarked(entry.pid)) continue;
      byId.set(entry.pid, known ?? { ...entry, owner });
    }
    for (const entry of byId.values()) this.#watched.set(keyOf(entry), entry);
    return [...byId.values()];
  }
}

function keyOf({ pid, startedAt }: ProcessEntry): string {
  return `${pid} ${startedAt}`;
}

/** Returns all live processes except this one, parents before their children. */
function readProcesses(): ProcessEntry[] {
  const entries: ProcessEntry[] = [];
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? readProc(name, 'stat') : '';
    const [state, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const pid = Number(name);
    if (stat === '' || pid === process.pid || state === 'Z' || state === 'X') continue;
    entries.push({ pid, parent: Number(parent), startedAt: fields[17] ?? '' });
  }
  return entries.toSorted((one, other) => Number(one.startedAt) - Number(other.startedAt) || one.pid - other.pid);
}

function isMarked(pid: number): boolean {
  return readProc(String(pid), 'environ').includes(marker);
}

function commandLine(pid: number): string {
  return readProc(String(pid), 'cmdline').replaceAll('\0', ' ').trim();
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // The process has exited meanwhile, or belongs to another user.
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has exited meanwhile.
  }
}
