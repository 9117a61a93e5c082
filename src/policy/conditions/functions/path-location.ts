import { type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FollowedPath, followPath } from './follow-path.ts';

const maxPathLength = 4096;
const maxSegments = 128;

/** The result of `path(x)`. The path is resolved when a condition checks its location. */
export class PathLocation {
  readonly #path: string;
  /** The path from the working directory of the tool's process, when it may differ. */
  readonly #otherPath: string;

  /**
   * Throws for texts that are not one unambiguous path. Relative paths need a base directory; a tool may also resolve them from
   * the working directory of its process.
   */
  constructor(path: string, directory: string | undefined, startDirectory: string | undefined = directory) {
    this.#path = absolutePath(path, directory);
    this.#otherPath = startDirectory === directory ? this.#path : absolutePath(path, startDirectory);
  }

  /** The number of names in the path; each takes a lookup in the file system. */
  get names(): number {
    return this.#path.split(sep).length + (this.#otherPath === this.#path ? 0 : this.#otherPath.split(sep).length);
  }

  /**
   * Returns whether the path is the directory or inside it, following links as far as the path exists. Throws when the result depends
   * on how a tool reads the path: a link inside that leads outside or the reverse, or `..` after a link.
   */
  within(directory: string): boolean {
    const home = directory === '~' || directory.startsWith('~/') ? join(homedir(), directory.slice(1)) : directory;
    assertPath(home, directory);
    if (!isAbsolute(home)) throw new Error(`within(${quote(directory)}) needs an absolute directory`);
    const outer = resolveLinks(resolve(home)).target;
    const ignoresCase = isCaseInsensitive(outer);
    const answer = isPathInside(this.#path, outer, ignoresCase, directory);
    if (this.#otherPath !== this.#path && isPathInside(this.#otherPath, outer, ignoresCase, directory) !== answer)
      throw new Error(
        `${quote(this.#path)} and ${quote(this.#otherPath)} are not both inside or both outside ${quote(directory)}, and a tool may resolve a relative path to either; use an absolute path, or set "cwd" of the server to its "workspace"`,
      );
    return answer;
  }
}

function isPathInside(path: string, outer: string, ignoresCase: boolean, directory: string): boolean {
  const readings = [...new Set([path, resolve(path)])].map(resolveLinks);
  const answers = readings
    .flatMap(({ target, link }) => [target, link])
    .map((each) => isInside(each, outer, ignoresCase));
  const [first = false] = answers;
  if (answers.some((answer) => answer !== first))
    throw new Error(`${quote(path)} is both inside and outside ${quote(directory)}, because of a link`);
  return first;
}

/** Returns the absolute form of a path. Preserves `..`, because after a link it does not lead where it seems to. */
function absolutePath(path: string, directory: string | undefined): string {
  assertPath(path, path);
  // URL parsers ignore these characters, and many tools trim: to them, `" file:///etc"` is a URL.
  if (hasStrayCharacter(path))
    throw new Error(
      `${quote(path)} contains a control character, or begins or ends with a space, which some tools remove`,
    );
  if (path.startsWith('~'))
    throw new Error(`${quote(path)} begins with "~", which some tools expand and others do not; use an absolute path`);
  if (/^file:/i.test(path)) {
    // Tools that treat the text as a plain path, or that remove the query, would open another file.
    if (/[?#]|\.\.|%2e/i.test(path))
      throw new Error(`${quote(path)} contains "?", "#" or "..", which tools interpret differently; use a plain path`);
    return fileURLToPath(path);
  }
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) throw new Error(`${quote(path)} is a URL, not a path`);
  if (isAbsolute(path)) return path;
  if (directory === undefined)
    throw new Error(
      `${quote(path)} is relative, and the server has no single "workspace" that it could be relative to`,
    );
  return `${directory}${sep}${path}`;
}

function hasStrayCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 0x20) return true;
  return text.trim() !== text;
}

function assertPath(path: string, given: string): void {
  if (path === '') throw new Error('the path is empty');
  if (path.includes('\0')) throw new Error(`${quote(given)} contains a NUL character`);
  if (path.length > maxPathLength) throw new Error(`the path has more than ${maxPathLength} characters`);
  if (path.split(/[/\\]+/).length > maxSegments) throw new Error(`the path has more than ${maxSegments} names`);
}

/** Returns the target of a path. Throws when a tool may reach another file. */
function resolveLinks(path: string): FollowedPath {
  const { doubt, ...found } = followPath(path);
  if (doubt !== undefined) throw new Error(`${quote(path)} ${doubt}`);
  return found;
}

/** Returns whether a path is a directory or in it, by their names alone. */
export function isInside(path: string, directory: string, ignoresCase = false): boolean {
  const [inner, outer] = ignoresCase ? [foldCase(path), foldCase(directory)] : [path, directory];
  if (!inner.startsWith(outer)) return false;
  return inner.length === outer.length || outer.endsWith(sep) || inner.startsWith(sep, outer.length);
}

/** Returns whether two stats are of the same file. */
export function isSameFile(one: Stats | undefined, other: Stats | undefined): boolean {
  return one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev;
}

function foldCase(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns whether the file system is case-insensitive, by looking up the directory in the other case. */
function isCaseInsensitive(directory: string): boolean {
  let existing = directory;
  while (existing !== dirname(existing) && statSync(existing, { throwIfNoEntry: false }) === undefined)
    existing = dirname(existing);
  const swapped = existing === existing.toUpperCase() ? existing.toLowerCase() : existing.toUpperCase();
  if (swapped === existing) return process.platform === 'darwin' || process.platform === 'win32';
  const [one, other] = [existing, swapped].map((path) => statSync(path, { throwIfNoEntry: false }));
  return isSameFile(one, other);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
