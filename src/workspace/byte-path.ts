/**
 * A path byte for byte: each character stands for one byte, the parts are joined by `/`. File names need not be UTF-8, and one
 * that is not must come back as it was.
 */
export type BytePath = string;

/** The path in the form that file system calls take. Strings are faster than buffers, and plain ASCII is the same in both. */
export function systemPath(path: BytePath): string | Buffer {
  return /[\u0080-\u00ff]/.test(path) ? Buffer.from(path, 'latin1') : path;
}

/** The byte path of a path as people and programs write it. */
export function bytePath(path: string): BytePath {
  return Buffer.from(path).toString('latin1');
}

/** The path as people read it. */
export function shownPath(path: BytePath): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** The path of an entry of a directory; the workspace itself is the empty path. */
export function joined(directory: BytePath, name: BytePath): BytePath {
  return directory === '' ? name : `${directory}/${name}`;
}

/** The directory that an entry stands in. */
export function parentOf(path: BytePath): BytePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The last part of a path. */
export function nameOf(path: BytePath): BytePath {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** How deep a path is. */
export function depthOf(path: BytePath): number {
  return path === '' ? 0 : path.split('/').length;
}

/** Whether two directories are the same or one holds the other. */
export function overlap(one: BytePath, other: BytePath): boolean {
  return holds(one, other) || holds(other, one);
}

/** Whether a directory is or holds the other. */
export function holds(outer: BytePath, inner: BytePath): boolean {
  return inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);
}
