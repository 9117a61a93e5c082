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
import { SignalboxError } from '../../core/errors.ts';

const { COPYFILE_FICLONE, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const largeFileBytes = 1024 * 1024;
const chunk = Buffer.allocUnsafeSlow(1024 * 1024);
const maxReads = 3;

/** A file's content in the store: its hash, and the stat while it was read. */
export interface AddedContent {
  readonly hash: string;
  readonly stats: Stats;
  /** Whether the file changed during every attempt to read it. */
  readonly isUnstable: boolean;
}

/**
 * Stores file contents by their SHA-256, each once. Small files are copied; large files are cloned where the file system
 * supports it, which takes no time or space. Hard links are not used: a program that writes in place would change the store.
 */
export class ContentStore {
  readonly #directory: string;
  #temporaryCount = 0;

  constructor(directory: string) {
    this.#directory = directory;
    for (let first = 0; first < 256; first += 1)
      mkdirSync(join(directory, first.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 });
  }

  /** Stores the content of a file. Never follows a symlink. */
  add(path: PathLike): AddedContent {
    const descriptor = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      let stats = fstatSync(descriptor);
      for (let attempt = 1; ; attempt += 1) {
        const taken =
          stats.size < largeFileBytes ? this.#takeSmall(descriptor, stats) : this.#takeLarge(descriptor, path);
        const after = fstatSync(descriptor);
        const isStable =
          after.mtimeMs === stats.mtimeMs && after.ctimeMs === stats.ctimeMs && after.size === stats.size;
        if (isStable || attempt === maxReads) return { hash: taken, stats: after, isUnstable: !isStable };
        stats = after;
      }
    } finally {
      closeSync(descriptor);
    }
  }

  /** Returns stored content after checking its hash. */
  read(wanted: string): Buffer {
    const content = this.#found(wanted, () => readFileSync(this.#file(wanted)));
    if (hash('sha256', content) !== wanted) throw lostContentError(wanted, 'is damaged');
    return content;
  }

  /** Writes stored content to a new file and checks its hash. */
  copyTo(wanted: string, path: PathLike): void {
    if (this.size(wanted) < largeFileBytes) {
      writeFileSync(path, this.read(wanted), { flag: 'wx', mode: 0o600 });
      return;
    }
    copyFileSync(this.#file(wanted), path, COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    if (hashOfFile(path) !== wanted) throw lostContentError(wanted, 'is damaged');
  }

  /** Returns the size of stored content in bytes. */
  size(wanted: string): number {
    return this.#found(wanted, () => statSync(this.#file(wanted)).size);
  }

  /** Removes all content that is not wanted and returns the number of freed bytes. An interrupted sweep does no harm. */
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
    // Reads one byte more than expected to detect growth; the caller then sees a different size and tries again.
    let length = 0;
    for (let read = -1; read !== 0 && length <= size; length += read)
      read = readSync(descriptor, chunk, length, Math.min(size + 1, chunk.length) - length, length);
    const content = chunk.subarray(0, Math.min(length, size));
    const found = hash('sha256', content);
    const file = this.#file(found);
    if (!existsSync(file)) {
      const temporaryFile = this.#newTemporaryFile();
      writeFileSync(temporaryFile, content, { flag: 'wx', mode: 0o600 });
      renameSync(temporaryFile, file);
    }
    return found;
  }

  #takeLarge(descriptor: number, path: PathLike): string {
    const temporaryFile = this.#newTemporaryFile();
    try {
      // Uses the descriptor, because the path may refer to another file by now.
      const source = existsSync(`/proc/self/fd/${descriptor}`) ? `/proc/self/fd/${descriptor}` : path;
      copyFileSync(source, temporaryFile, COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      const found = hashOfFile(temporaryFile);
      renameSync(temporaryFile, this.#file(found));
      return found;
    } finally {
      rmSync(temporaryFile, { force: true });
    }
  }

  #file(name: string): string {
    return join(this.#directory, name.slice(0, 2), name);
  }

  #newTemporaryFile(): string {
    this.#temporaryCount += 1;
    return join(this.#directory, '00', `unnamed-${process.pid}-${process.hrtime.bigint()}-${this.#temporaryCount}`);
  }

  #found<Result>(wanted: string, look: () => Result): Result {
    try {
      return look();
    } catch (error) {
      throw lostContentError(wanted, 'is not in the store', error);
    }
  }
}

/** Returns the SHA-256 of a file's content. */
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

function lostContentError(wanted: string, what: string, cause?: unknown): SignalboxError {
  const message = `the stored content ${wanted.slice(0, 12)}… ${what}; it cannot be restored`;
  return new SignalboxError('undo-unavailable', message, { cause });
}
