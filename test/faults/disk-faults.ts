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

/** A fault of a disk, which lasts from `begin` to `end`. */
export interface DiskFault {
  /** Leaves only this many bytes for further writes. */
  begin(freeBytes: number): void;
  end(): void;
}

/** Fills up a file system, and frees it again. */
export function fullDisk(directory: string): DiskFault {
  const filler = join(directory, 'filler');
  return {
    begin(freeBytes) {
      const { bavail, bsize } = statfsSync(directory);
      const block = Buffer.alloc(bsize);
      const descriptor = openSync(filler, 'w');
      try {
        for (let free = bavail * bsize; free > freeBytes; free -= bsize) writeSync(descriptor, block);
      } catch {
        // Other processes have written meanwhile, so the disk is full.
      }
      closeSync(descriptor);
    },
    end: () => rmSync(filler),
  };
}

/** Limits the size of the files of this process, relative to the size of one of them. */
export function fileSizeLimit(file: string): DiskFault {
  const setLimit = (bytes: string): unknown =>
    execFileSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]);
  const [, initialLimit = 'unlimited'] = /^Max file size +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return {
    begin(freeBytes) {
      setLimit(String((statSync(file, { throwIfNoEntry: false })?.size ?? 0) + Math.floor(freeBytes)));
    },
    end: () => void setLimit(initialLimit),
  };
}

/** Makes writes and flushes fail with EIO from the nth on, through the control file of the library in `failing-writes.c`. */
export function failingWrites(): DiskFault {
  const control = process.env['FAILING_WRITES'] ?? '';
  return {
    begin: (freeBytes) => writeFileSync(control, String(Math.floor(freeBytes / 1024))),
    end: () => truncateSync(control),
  };
}
