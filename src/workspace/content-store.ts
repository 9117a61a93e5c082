import { createHash, hash } from 'node:crypto';
import {
  type PathLike,
  type Stats,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { SignalboxError } from '../core/errors.ts';

const { COPYFILE_FICLONE, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const largeFile = 1024 * 1024;
const chunk = Buffer.allocUnsafeSlow(1024 * 1024);
const attempts = 3;

/** What was taken in: the hash of the content, and the stat it had while it was read. */
export interface Taken {
  readonly hash: string;
  readonly stats: Stats;
  /** It changed while it was read, each time. */
  readonly restless: boolean;
}

/**
 * File contents by their SHA-256, each kept once. Small ones are read and written; large ones are cloned where the file system
 * can, which costs neither time nor space. Never hard links: a program that writes in place would write into the store.
 */
export class ContentStore {
  readonly #directory: string;
  #unnamed = 0;

  constructor(directory: string) {
    this.#directory = directory;
    for (let first = 0; first < 256; first += 1)
      mkdirSync(join(directory, first.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 });
  }

  /** Takes in the content of a file. Never follows a symlink. */
  take(path: PathLike): Taken {
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      let stats = fstatSync(descriptor);
      for (let attempt = 1; ; attempt += 1) {
        const taken = stats.size < largeFile ? this.#takeSmall(descriptor, stats) : this.#takeLarge(descriptor, path);
        const after = fstatSync(descriptor);
        const still = after.mtimeMs === stats.mtimeMs && after.ctimeMs === stats.ctimeMs && after.size === stats.size;
        if (still || attempt === attempts) return { hash: taken, stats: after, restless: !still };
        stats = after;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** The content, whole and checked. */
  read(wanted: string): Buffer {
    const content = this.#found(wanted, () => readFileSync(this.#file(wanted)));
    if (hash('sha256', content) !== wanted) throw lost(wanted, 'is damaged');
    return content;
  }

  /** Writes the content to a new file, checked. */
  copyTo(wanted: string, path: PathLike): void {
    if (this.size(wanted) < largeFile) {
      writeFileSync(path, this.read(wanted), { flag: 'wx', mode: 0o600 });
      return;
    }
    copyFileSync(this.#file(wanted), path, COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    if (hashOfFile(path) !== wanted) throw lost(wanted, 'is damaged');
  }

  /** How many bytes the content has. */
  size(wanted: string): number {
    return this.#found(wanted, () => statSync(this.#file(wanted)).size);
  }

  /** Removes what is not wanted any more; answers how many bytes that were. A removal that is cut short harms nothing. */
  sweep(wanted: ReadonlySet<string>): number {
    let freed = 0;
    for (const folder of readdirSync(this.#directory)) {
      for (const name of readdirSync(join(this.#directory, folder))) {
        if (wanted.has(name)) continue;
        const file = join(this.#directory, folder, name);
        freed += statSync(file).size;
        rmSync(file, { force: true });
      }
    }
    return freed;
  }

  #takeSmall(descriptor: number, { size }: Stats): string {
    // One byte more than expected shows whether it has grown; then the caller sees another size and comes again.
    let length = 0;
    for (let read = -1; read !== 0 && length <= size; length += read)
      read = readSync(descriptor, chunk, length, Math.min(size + 1, chunk.length) - length, length);
    const content = chunk.subarray(0, Math.min(length, size));
    const found = hash('sha256', content);
    const file = this.#file(found);
    if (!existsSync(file)) {
      const unnamed = this.#newFile();
      writeFileSync(unnamed, content, { flag: 'wx', mode: 0o600 });
      renameSync(unnamed, file);
    }
    return found;
  }

  #takeLarge(descriptor: number, path: PathLike): string {
    const unnamed = this.#newFile();
    try {
      // By its descriptor: the name may stand for something else by now.
      const source = existsSync(`/proc/self/fd/${descriptor}`) ? `/proc/self/fd/${descriptor}` : path;
      copyFileSync(source, unnamed, COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      const found = hashOfFile(unnamed);
      renameSync(unnamed, this.#file(found));
      return found;
    } finally {
      rmSync(unnamed, { force: true });
    }
  }

  #file(name: string): string {
    return join(this.#directory, name.slice(0, 2), name);
  }

  #newFile(): string {
    this.#unnamed += 1;
    return join(this.#directory, '00', `unnamed-${process.pid}-${process.hrtime.bigint()}-${this.#unnamed}`);
  }

  #found<Result>(wanted: string, look: () => Result): Result {
    try {
      return look();
    } catch (error) {
      throw lost(wanted, 'is not in the store', error);
    }
  }
}

/** The hash of a file's content. */
export function hashOfFile(path: PathLike): string {
  const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const digest = createHash('sha256');
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk))
      digest.update(chunk.subarray(0, read));
    return digest.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}

function lost(wanted: string, what: string, cause?: unknown): SignalboxError {
  const message = `the kept content ${wanted.slice(0, 12)}… ${what}; it cannot be restored`;
  return new SignalboxError('undo-unavailable', message, { cause });
}
