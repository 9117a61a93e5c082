import { execFileSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** What can be wrong with a disk, for as long as it lasts. */
export interface Room {
  /** From now on there is no more than this. */
  take(left: number): void;
  giveBack(): void;
}

/** A file system that is filled up, and gets its room back. */
export function filledDisk(directory: string): Room {
  const filler = join(directory, 'filler');
  return {
    take(left) {
      const { bavail, bsize } = statfsSync(directory);
      const block = Buffer.alloc(bsize);
      const descriptor = openSync(filler, 'w');
      try {
        for (let room = bavail * bsize; room > left; room -= bsize) writeSync(descriptor, block);
      } catch {
        // Others have written meanwhile: it is full.
      }
      closeSync(descriptor);
    },
    giveBack: () => rmSync(filler),
  };
}

/** A limit on how large files of this process may grow, measured by one of them. */
export function limitedFiles(file: string): Room {
  const limit = (bytes: string): unknown =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const [, usual = 'unlimited'] = /^Max file size +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return {
    take(left) {
      limit(String((statSync(file, { throwIfNoEntry: false })?.size ?? 0) + Math.floor(left)));
    },
    giveBack: () => void limit(usual),
  };
}

/** Writes and flushes that fail with EIO, from the nth on: told to the library in `failing-writes.c` by a file. */
export function failingWrites(): Room {
  const control = process.env['FAILING_WRITES'] ?? '';
  return {
    take: (left) => writeFileSync(control, String(Math.floor(left / 1024))),
    giveBack: () => truncateSync(control),
  };
}
