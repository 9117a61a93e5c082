import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const lookEveryMs = 400;
const settleMs = 50;

/**
 * Tells when one of the files changed, came or went since it was named here. Looks at them by name now and then: that sees
 * editors that replace files, links that are turned elsewhere, and file systems that send no events.
 */
export class FileWatch {
  /** What each of them was when it was last looked at. */
  readonly #seen = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  /** The files that are watched. */
  get files(): readonly string[] {
    return [...this.#seen.keys()];
  }

  /** Takes these files as they are now, and no others. Name a file before it is read, and no change of it is missed. */
  watch(files: readonly string[]): void {
    for (const file of this.#seen.keys()) if (!files.includes(file)) this.#seen.delete(file);
    for (const file of files) this.add(file);
  }

  /** Adds a file in its current state. */
  add(file: string): void {
    if (!this.#seen.has(file)) this.#seen.set(file, identityOf(statNow(file)));
  }

  /** Starts polling. Reports the files that changed, including changes since they were added. */
  start(onChange: (changed: ReadonlySet<string>) => Promise<void>): void {
    const look = async (): Promise<void> => {
      const changed = new Set(await this.#look());
      // Whoever writes several files, or one in several pieces, is given the time for it.
      for (let more = changed.size; more > 0;) {
        const others = await later(settleMs, () => this.#look());
        for (const file of others) changed.add(file);
        more = others.length;
      }
      if (changed.size > 0 && this.#timer !== undefined) await onChange(changed);
      this.#timer = this.#timer && setTimeout(() => void look(), lookEveryMs).unref();
    };
    this.#timer = setTimeout(() => void look(), lookEveryMs).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Returns the files that changed since the last check. */
  async #look(): Promise<readonly string[]> {
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

/** That somebody read the file is no change. */
function identityOf(stats: Stats | undefined): string {
  return stats === undefined ? 'not there' : [stats.dev, stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(' ');
}
