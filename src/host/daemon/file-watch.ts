import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const pollIntervalMs = 400;
const settleMs = 50;

/**
 * Reports files that were changed, created or removed. Polls them by path, which also detects files that editors replace, changed
 * links, and changes on file systems without events.
 */
export class FileWatch {
  /** The state of each file at the last check. */
  readonly #seen = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  get files(): readonly string[] {
    return [...this.#seen.keys()];
  }

  /** Watches exactly these files; new ones from their current state. Call it before a file is read, so that no change is missed. */
  watch(files: readonly string[]): void {
    for (const file of this.#seen.keys()) if (!files.includes(file)) this.#seen.delete(file);
    for (const file of files) this.add(file);
  }

  /** Adds a file in its current state, unless it is watched already. */
  add(file: string): void {
    if (!this.#seen.has(file)) this.#seen.set(file, identityOf(statNow(file)));
  }

  /** Starts polling. Reports the files that changed, including changes since they were added. */
  start(onChange: (changed: ReadonlySet<string>) => Promise<void>): void {
    const poll = async (): Promise<void> => {
      const changed = new Set(await this.#changedFiles());
      // Waits until a program has finished writing several files, or one in several pieces.
      for (let more = changed.size; more > 0;) {
        const others = await later(settleMs, () => this.#changedFiles());
        for (const file of others) changed.add(file);
        more = others.length;
      }
      if (changed.size > 0 && this.#timer !== undefined) await onChange(changed);
      this.#timer = this.#timer && setTimeout(() => void poll(), pollIntervalMs).unref();
    };
    this.#timer = setTimeout(() => void poll(), pollIntervalMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Returns the files that changed since the last check. */
  async #changedFiles(): Promise<readonly string[]> {
    const files = [...this.#seen.keys()];
    const now = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
    const changed: string[] = [];
    for (const [index, file] of files.entries()) {
      const identity = identityOf(now[index]);
      if (!this.#seen.has(file) || this.#seen.get(file) === identity) continue;
      this.#seen.set(file, identity);
      changed.push(file);
    }
    return changed;
  }
}

function later<Value>(milliseconds: number, run: () => Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    setTimeout(() => void run().then(resolve, reject), milliseconds).unref();
  });
}

function statNow(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Returns an identity of a file's state, which excludes the time of the last read. */
function identityOf(stats: Stats | undefined): string {
  return stats === undefined ? 'not there' : [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
}
