import { posix } from 'node:path';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';

/** The arguments that usually hold a path. */
export const pathArguments = ['path', 'paths', 'file', 'files', 'file_path', 'filePath', 'filename', 'uri', 'url'];
const maxPathLength = 4096;
const maxPaths = 1000;
const noPaths: readonly string[] = [];
/** A path without any of these is in normal form already. */
const needsNormalizing = /\\|\/\/|(?:^|\/)\.\.?(?:\/|$)|\/$/;

/** Returns a path in normal form; `undefined` when it is too long to be a path. */
export function normalizePath(path: string): string | undefined {
  if (path === '' || path.length > maxPathLength) return undefined;
  if (!needsNormalizing.test(path)) return path;
  const normal = posix.normalize(path.replaceAll('\\', '/'));
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal;
}

/** The paths an argument holds: one, or a list of them. `undefined` when it holds something else, nothing, or more than a thousand. */
export function pathsIn(value: JsonValue | undefined): readonly string[] | undefined {
  const candidates: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (candidates.length > maxPaths) return undefined;
  const paths = candidates.map((each) => (typeof each === 'string' ? normalizePath(each) : undefined));
  return candidates.length > 0 && paths.every((path) => path !== undefined) ? paths : undefined;
}

/** The paths in those arguments that usually hold one. */
export function pathsInArguments(args: JsonObject): readonly string[] {
  let paths: string[] | undefined;
  for (const name of pathArguments)
    if (Object.hasOwn(args, name)) (paths ??= []).push(...(pathsIn(args[name]) ?? noPaths));
  return paths ?? noPaths;
}
