import { type Stats, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { type KnownNames, followPath } from '../../policy/conditions/functions/follow-path.ts';

const missing = { throwIfNoEntry: false } as const;
/** File systems that compare names without case ignore these too. */
const ignoredCharacters = /\p{Default_Ignorable_Code_Point}/gu;
const isAscii = /^[\u0000-\u007f]*$/;

/** Returns the stat of the file that a path leads to; `undefined` where there is none, or where it cannot be reached. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, missing);
  } catch {
    return undefined;
  }
}

/** What the file system says of paths, each asked for once in a decision. */
export class Lookups {
  readonly #stats = new Map<string, Stats | undefined>();
  readonly #real = new Map<string, string>();
  readonly #names: KnownNames = new Map();

  stat(path: string): Stats | undefined {
    if (this.#stats.has(path)) return this.#stats.get(path);
    const stats = statOf(path);
    this.#stats.set(path, stats);
    return stats;
  }

  /** Returns the path that a path leads to: links followed, and names that do not exist yet as written. */
  real(path: string): string {
    let real = this.#real.get(path);
    if (real === undefined) this.#real.set(path, (real = this.#follow(path)));
    return real;
  }

  #follow(path: string): string {
    if (this.stat(path) !== undefined) {
      try {
        return realpathSync.native(path);
      } catch {
        // Removed meanwhile.
      }
    }
    return followPath(path, this.#names).target;
  }
}

/** Returns whether two stats are of one file, under whatever names. */
export function isSameFile(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

/**
 * Returns a name in the form in which file systems that ignore case, forms of Unicode, ignorable characters, trailing dots and spaces, or
 * the names of streams compare it.
 */
export function foldName(name: string): string {
  const folded = isAscii.test(name)
    ? name.toLowerCase()
    : name.normalize('NFKC').replace(ignoredCharacters, '').toUpperCase().toLowerCase();
  return folded.replace(/:[^/\\]*$/, '').replace(/[. ]+$/, '');
}

/** Returns whether a real path is a directory or is in it. Names that differ by case alone are one where the file system says so. */
export function isWithin(directory: string, path: string): boolean {
  if (path.startsWith(directory) && (path.length === directory.length || isSeparated(directory, path))) return true;
  const names = directory.split(sep);
  const parts = path.split(sep, names.length);
  // The last name differs for most paths.
  if (parts.length < names.length || !names.every((_, index) => isSameName(names.at(-1 - index), parts.at(-1 - index))))
    return false;
  const found = statOf(parts.join(sep));
  return found === undefined || isSameFile(found, statOf(directory));
}

function isSeparated(directory: string, path: string): boolean {
  return directory.endsWith(sep) || path.startsWith(sep, directory.length);
}

function isSameName(one = '', other = ''): boolean {
  return one === other || foldName(one) === foldName(other);
}
