import { pathToFileURL } from 'node:url';
import type { Source } from '../catalog/source.ts';
import type { LocalModuleEntry } from '../config/configuration.ts';
import { messageOf } from '../model/errors.ts';
import { downServer } from './down-server.ts';
import { explainImport } from './explain-import.ts';
import { offerOwnPackage } from './own-package.ts';
import { serverFromExports } from './server-from-exports.ts';

const longestImportMs = 30_000;

/** Imports the module of an entry and makes a server of its exports; one that cannot be had is down, with the reason. */
export async function loadLocalServer(entry: LocalModuleEntry): Promise<Source> {
  const down = (reason: string): Source => downServer(entry.name, `local:${entry.name}`, reason);
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = await importModule(entry.module);
  } catch (error) {
    return down(explainImport(entry.module, error));
  }
  try {
    return serverFromExports(entry, exports);
  } catch (error) {
    return down(`${entry.module}: ${messageOf(error)}`);
  }
}

async function importModule(file: string): Promise<Readonly<Record<string, unknown>>> {
  // Not before: every import after this goes through it.
  offerOwnPackage();
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const message = `it did not finish loading within ${longestImportMs / 1000} s (a top-level await that never ends?)`;
    timer = setTimeout(() => reject(new Error(message)), longestImportMs);
  });
  try {
    return (await Promise.race([import(pathToFileURL(file).href), tooLong])) as Readonly<Record<string, unknown>>;
  } finally {
    clearTimeout(timer);
  }
}
