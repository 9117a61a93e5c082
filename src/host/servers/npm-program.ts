import { installedProgram } from '../../config/trust/installed-package.ts';

/** A command and its arguments. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that runs an npm package. If the project has exactly this version installed, Node runs it directly, which is
 * faster and needs no network. If not, npx downloads it.
 */
export function npmProgram(spec: string, args: readonly string[], directory: string, written = spec): Program {
  // Trust compares the written text, so a package that comes from a reference is not searched for in the project.
  const file = spec === written ? installedProgram(spec, directory) : undefined;
  if (file !== undefined) return { command: process.execPath, args: [file, ...args] };
  return { command: 'npx', args: ['-y', spec, ...args] };
}
