import { type Stats, unwatchFile, watchFile } from 'node:fs';

const lookEveryMs = 400;
const settleMs = 50;

/**
 * Tells when one of the files changed, came or went. Looks at them by name now and then: that sees editors that replace files,
 * links that are turned elsewhere, and file systems that send no events.
 */
export class FileWatch {
  readonly #onChange: () => void;
  readonly #files = new Set<string>();
  #settling: NodeJS.Timeout | undefined;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Watches these files and no others. */
  watch(files: readonly string[]): void {
    for (const file of this.#files) if (!files.includes(file)) this.#leave(file);
    for (const file of files) {
      if (this.#files.has(file)) continue;
      this.#files.add(file);
      watchFile(file, { interval: lookEveryMs, persistent: false }, this.#look);
    }
  }

  close(): void {
    clearTimeout(this.#settling);
    for (const file of this.#files) this.#leave(file);
  }

  #leave(file: string): void {
    unwatchFile(file, this.#look);
    this.#files.delete(file);
  }

  readonly #look = (now: Stats, before: Stats): void => {
    // That somebody read the file is no change.
    const isSame = (['ino', 'size', 'mtimeMs', 'ctimeMs'] as const).every((key) => now[key] === before[key]);
    if (isSame) return;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(this.#onChange, settleMs);
  };
}
