import { existsSync } from 'node:fs';
import type { Source } from '../../catalog/source/source.ts';
import type { LocalModuleEntry } from '../../config/configuration.ts';
import { messageOf } from '../../core/errors.ts';
import { downServer } from '../servers/down-server.ts';
import { serverFromExports } from './server-from-exports.ts';
import { importToolModule } from './tool-modules.ts';

const importTimeoutMs = 30_000;

/** Imports the module of an entry and creates a server from its exports; when this fails, returns a source that is down. */
export async function loadLocalServer(entry: LocalModuleEntry): Promise<Source> {
  try {
    return await importLocalServer(entry);
  } catch (error) {
    return downServer(entry.name, `local:${entry.name}`, messageOf(error));
  }
}

/** Imports the module of an entry and creates a server from its exports. Rejects with the reason when the import fails. */
export async function importLocalServer(entry: LocalModuleEntry): Promise<Source> {
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = await importWithTimeout(entry.module);
  } catch (error) {
    throw new Error(explainImport(entry.module, error), { cause: error });
  }
  try {
    return serverFromExports(entry, exports);
  } catch (error) {
    throw new Error(`${entry.module}: ${messageOf(error)}`, { cause: error });
  }
}

async function importWithTimeout(file: string): Promise<Readonly<Record<string, unknown>>> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const message = `it did not finish loading within ${importTimeoutMs / 1000} s (a top-level await that never ends?)`;
    timer = setTimeout(() => reject(new Error(message)), importTimeoutMs);
  });
  try {
    return await Promise.race([importToolModule(file), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

const erasable =
  'Node removes types but compiles nothing: no enums, namespaces, parameter properties or decorators; use plain objects and classes';

/** Describes the reason why a module could not be imported, and the next step. */
function explainImport(file: string, error: unknown): string {
  if (!existsSync(file)) return `there is no file ${file}; correct "module" in the configuration`;
  const message = messageOf(error)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  const hint = hintFor(codeOf(error), message);
  const line = lineOf(error);
  const at = line === undefined || message.includes(line) ? '' : ` (at ${line})`;
  return `${file} cannot be imported: ${message}${at}${hint === undefined ? '' : ` (${hint})`}`;
}

function hintFor(code: string, message: string): string | undefined {
  switch (code) {
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return erasable;
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return 'Node runs no TypeScript inside node_modules; name a compiled .js file';
    case 'ERR_MODULE_NOT_FOUND':
      return message.includes("package '")
        ? 'install the package next to the module'
        : 'imports need the file ending: "./other.ts"';
    case 'ERR_UNKNOWN_FILE_EXTENSION':
      return 'a module is a .ts, .mts, .js or .mjs file';
    default:
      return message.includes('does not provide an export named') ? 'types are imported with "import type"' : undefined;
  }
}

/** Returns the first location in the error's stack that is in the author's own files, as `path:line`. */
function lineOf(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, path, line] = /(?:^|file:\/\/)(\/[^\n:?]+)(?:\?[^\n:]*)?:(\d+)/m.exec(stack) ?? [];
  return path === undefined || path.includes('/node_modules/') ? undefined : `${decodeURI(path)}:${line}`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
