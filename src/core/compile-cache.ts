import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/** Tells a thread where this process keeps what it has compiled: by itself it would compile everything anew. */
export function compileCacheEnv(): { readonly NODE_COMPILE_CACHE?: string } {
  const directory = getCompileCacheDir();
  // Each version of Node has a directory of its own in it.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory) };
}
