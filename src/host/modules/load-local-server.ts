import type { Source } from '../../catalog/source.ts';
import type { LocalModuleEntry } from '../../config/configuration.ts';
import { messageOf } from '../../core/errors.ts';
import { downServer } from '../servers/down-server.ts';
import { explainImport } from './explain-import.ts';
import { serverFromExports } from './server-from-exports.ts';
import { importToolModule } from './tool-modules.ts';

const longestImportMs = 30_000;

/** Imports the module of an entry and makes a server of its exports; one that cannot be had is down, with the reason. */
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
    exports = await importInTime(entry.module);
  } catch (error) {
    throw new Error(explainImport(entry.module, error), { cause: error });
  }
  try {
    return serverFromExports(entry, exports);
  } catch (error) {
    throw new Error(`${entry.module}: ${messageOf(error)}`, { cause: error });
  }
}

async function importInTime(file: string): Promise<Readonly<Record<string, unknown>>> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const message = `it did not finish loading within ${longestImportMs / 1000} s (a top-level await that never ends?)`;
    timer = setTimeout(() => reject(new Error(message)), longestImportMs);
  });
  try {
    return await Promise.race([importToolModule(file), tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
