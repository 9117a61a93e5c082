import { resolve } from 'node:path';

/** Returns the directory that relative paths are relative to: the workspace of a tool that has exactly one. */
export function directoryOf(workspace: readonly string[] | undefined): string | undefined {
  const [only, ...others] = workspace ?? [];
  return only === undefined || others.length > 0 ? undefined : resolve(only);
}
