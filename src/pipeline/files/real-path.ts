import { type Stats, realpathSync, statSync } from 'node:fs';
import { sep } from 'node:path';
import { type KnownNames, followPath } from '../../policy/conditions/functions/follow-path.ts';
import { isInside, isSameFile } from '../../policy/conditions/functions/path-location.ts';
import type { WorkBudget } from '../../policy/conditions/work-budget.ts';

/** Characters that case-insensitive file systems also ignore. */
export const ignoredCharacters = /\p{Default_Ignorable_Code_Point}/gu;
const isAscii = /^[\u0000-\u007f]*$/;
/** An ASCII path without streams, trailing dots or spaces. */
const plainPath = /^(?:[!-\-0-9;-~]|\.(?!\/|$)|\/)*$/;

/** Returns the stat of the file that a path leads to; `undefined` when it does not exist or is not accessible. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Units of work, about 10 ns each. */
const statWork = 500;
const realPathWork = 1500;
const nameWork = 800;

/**
 * Caches file system lookups for one decision. When the budget is used up, paths are not resolved, so the caller must check the
 * budget afterwards.
 */
export class Lookups {
  readonly #stats = new Map<string, Stats | undefined>();
  readonly #real = new Map<string, string>();
  readonly #names: KnownNames = new Map();
  readonly #folded = new Map<string, string>();
  readonly #work: WorkBudget | undefined;

  constructor(work?: WorkBudget) {
    this.#work = work;
  }

  stat(path: string): Stats | undefined {
    if (this.#stats.has(path)) return this.#stats.get(path);
    if (this.#work?.take(statWork) === false) return undefined;
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

  /** Returns a path in the form in which file systems that ignore case compare it. */
  folded(path: string): string {
    let folded = this.#folded.get(path);
    if (folded === undefined) this.#folded.set(path, (folded = foldPath(path)));
    return folded;
  }

  #follow(path: string): string {
    if (this.stat(path) !== undefined) {
      if (this.#work?.take(realPathWork) === false) return path;
      try {
        return realpathSync.native(path);
      } catch {
        // The directory was removed meanwhile.
      }
    }
    const before = this.#names.size;
    if (this.#work?.isExceeded === true || this.#work?.take(nameWork + path.length * 4) === false) return path;
    const { target } = followPath(path, this.#names);
    this.#work?.take((this.#names.size - before) * nameWork);
    return target;
  }
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

/** Returns a path in the form in which file systems that ignore case compare it. */
export function foldPath(path: string): string {
  return plainPath.test(path) ? path.toLowerCase() : path.split(sep).map(foldName).join(sep);
}

/**
 * Returns whether a real path is a directory or in it, also when both may be names of the same directory: names that differ only by case
 * are equal on a case-insensitive file system.
 */
export function mayBeInside(path: string, directory: string): boolean {
  if (isInside(path, directory)) return true;
  const names = directory.split(sep);
  const parts = path.split(sep, names.length);
  // The last name differs for most paths.
  if (parts.length < names.length || !names.every((_, index) => isSameName(names.at(-1 - index), parts.at(-1 - index))))
    return false;
  const found = statOf(parts.join(sep));
  return found === undefined || isSameFile(found, statOf(directory));
}

function isSameName(one = '', other = ''): boolean {
  return one === other || foldName(one) === foldName(other);
}
