/**
 * A path in which each character represents one byte; `/` separates the parts. File names need not be valid UTF-8, and an undo
 * must restore the exact bytes.
 */
export type BytePath = string;

/** Converts a byte path to the argument of a system call. Uses a string for plain ASCII, because strings are faster than buffers. */
export function toSystemPath(path: BytePath): string | Buffer {
  return /[\u0080-\u00ff]/.test(path) ? Buffer.from(path, 'latin1') : path;
}

/** Converts a UTF-8 path to a byte path. */
export function toBytePath(path: string): BytePath {
  return Buffer.from(path).toString('latin1');
}

/** Converts a byte path to readable text. */
export function toDisplayPath(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** Returns the path of an entry in a directory. The workspace root is the empty path. */
export function joinPath(directory: BytePath, name: BytePath): BytePath {
  return directory === '' ? name : `${directory}/${name}`;
}

/** Returns the directory of an entry. */
export function parentPath(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Returns the last part of a path. */
export function lastPart(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Returns the number of parts of a path. */
export function pathDepth(path: BytePath): number {
  return path === '' ? 0 : path.split('/').length;
}

/** Returns whether two directories are the same or one contains the other. */
export function isOverlapping(one: BytePath, other: BytePath): boolean {
  return containsPath(one, other) || containsPath(other, one);
}

/** Returns whether a directory is the other one or contains it. */
export function containsPath(outer: BytePath, inner: BytePath): boolean {
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}
