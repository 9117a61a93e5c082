import { resolve } from 'node:path';

const known = new WeakMap<readonly string[], string>();

/** Returns the directory that relative paths are relative to: the workspace of a tool that has exactly one. */
export function directoryOf(workspace: readonly string[] | undefined): string | undefined {
  const only = workspace?.length === 1 ? workspace[0] : undefined;
  if (workspace === undefined || only === undefined) return undefined;
  let directory = known.get(workspace);
  if (directory === undefined) known.set(workspace, (directory = resolve(only)));
  return directory;
}
