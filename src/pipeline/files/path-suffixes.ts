import { normalize, sep } from 'node:path';
import { foldName } from './real-path.ts';

/**
 * Finds relative paths that lead to a file from some directory, by the end of its path: `../../home/.signalbox/token` leads to
 * `/x/home/.signalbox` from two levels below `/x`.
 */
export class PathSuffixes {
  /** The names of the paths from the root, folded, by the last one. */
  readonly #byName = new Map<string, string[][]>();

  constructor(paths: readonly string[]) {
    for (const path of new Set(paths)) {
      const names = path.split(sep).filter(Boolean).map(foldName);
      const last = names.at(-1);
      if (last === undefined) continue;
      const others = this.#byName.get(last);
      if (others === undefined) this.#byName.set(last, [names]);
      else others.push(names);
    }
  }

  /** Returns the names of a path in a file, or the empty list for the file itself; `undefined` when the path does not lead to one. */
  restAfter(names: readonly string[]): readonly string[] | undefined {
    for (const [index, name] of names.entries())
      for (const path of this.#byName.get(name) ?? [])
        if (
          path.length > index &&
          names.slice(0, index).every((each, at) => each === path[path.length - 1 - index + at])
        )
          return names.slice(index + 1);
    return undefined;
  }
}

/**
 * Returns the names of a relative path after the part that depends on the current directory or on a variable: `..` and `$X`. Returns
 * `undefined` when there is no such part, unless `isAnywhere`.
 */
export function namesAfterStart(path: string, isAnywhere: boolean): readonly string[] | undefined {
  if (!isAnywhere && !path.includes('..') && !path.startsWith('$')) return undefined;
  const names = normalize(path)
    .split(sep)
    .filter((name) => name !== '' && name !== '.');
  const start = names.findLastIndex((name) => name === '..' || name.startsWith('$')) + 1;
  return start === 0 && !isAnywhere ? undefined : names.slice(start).map(foldName);
}
