import { posix } from 'node:path';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';

/** The names of arguments whose paths count as accessed. */
export const pathArguments = ['path', 'paths', 'file', 'files', 'file_path', 'filePath', 'filename', 'uri', 'url'];
const maxPathLength = 4096;
const maxPaths = 1000;
const noPaths: readonly string[] = [];
/** A path without any of these is already in normal form. */
const needsNormalizing = /\\|\/\/|(?:^|\/)\.\.?(?:\/|$)|\/$/;

/** Returns a path in normal form; `undefined` when it is too long to be a path. */
export function normalizePath(path: string): string | undefined {
  if (path === '' || path.length > maxPathLength) return undefined;
  if (!needsNormalizing.test(path)) return path;
  const normal = posix.normalize(path.replaceAll('\\', '/'));
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** Returns the paths in an argument: one, or a list. Returns `undefined` when it contains something else, nothing, or more than a thousand. */
export function pathsIn(value: JsonValue | undefined): readonly string[] | undefined {
  const candidates: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (candidates.length > maxPaths) return undefined;
  const paths = candidates.map((each) => (typeof each === 'string' ? normalizePath(each) : undefined));
  return candidates.length > 0 && paths.every((path) => path !== undefined) ? paths : undefined;
}

/** Returns the paths in `pathArguments`. */
export function pathsInArguments(args: JsonObject): readonly string[] {
  let paths: string[] | undefined;
  for (const name of pathArguments)
    if (Object.hasOwn(args, name)) (paths ??= []).push(...(pathsIn(args[name]) ?? noPaths));
  return paths ?? noPaths;
}
