import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Returns the environment variable that lets a thread share the compile cache of this process. */
export function compileCacheEnv(): { readonly NODE_COMPILE_CACHE?: string } {
  const directory = getCompileCacheDir();
  // Node appends a directory for its version.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
