import { type Stats, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';

const maxLinks = 40;
const missing = { throwIfNoEntry: false } as const;
// HFS+ ignores these characters in file names.
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/**
 * Returns the path that a path leads to: links followed, also a dangling one, because a write through it creates its target. The part that does
 * not exist yet is kept as written.
 */
export function realPath(path: string, links = 0): string {
  if (statOf(path) !== undefined) {
    try {
      return realpathSync.native(path);
    } catch {
      // Removed meanwhile, or not readable: the rest is found part by part.
    }
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const target = links < maxLinks ? linkTarget(path) : undefined;
  if (target === undefined) return join(realPath(parent, links), basename(path));
  return realPath(isAbsolute(target) ? target : resolve(realPath(parent, links), target), links + 1);
}

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

  stat(path: string): Stats | undefined {
    if (this.#stats.has(path)) return this.#stats.get(path);
    const stats = statOf(path);
    this.#stats.set(path, stats);
    return stats;
  }

  real(path: string): string {
    let real = this.#real.get(path);
    if (real === undefined) this.#real.set(path, (real = realPath(path)));
    return real;
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
  const folded = name.normalize('NFKC').replace(ignoredCharacters, '').toUpperCase().toLowerCase();
  return folded.replace(/:[^/\\]*$/, '').replace(/[. ]+$/, '');
}

/** Returns whether a real path is a directory or is in it. Names that differ by case alone are one where the file system says so. */
export function isWithin(directory: string, path: string): boolean {
  const prefix = directory.endsWith(sep) ? directory : directory + sep;
  if (path === directory || path.startsWith(prefix)) return true;
  const depth = directory.split(sep).length;
  const parts = path.split(sep);
  if (parts.length < depth || fold(parts.slice(0, depth).join(sep)) !== fold(directory)) return false;
  const found = statOf(parts.slice(0, depth).join(sep));
  return found === undefined || isSameFile(found, statOf(directory));
}

function fold(path: string): string {
  return path
    .split(sep)
    .map((part) => foldName(part))
    .join(sep);
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, missing)?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
