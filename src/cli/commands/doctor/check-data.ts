import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { JournalReader } from '../../../journal/queries/journal-reader.ts';
import { SignalboxError, messageOf } from '../../../core/errors.ts';
import { type GlobalOptions } from '../../command-context.ts';
import { journalFile, shortPath } from '../../../host/data-directory.ts';
import { openStore, resolveStoreAddress } from '../../../host/store/open-store.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const maxVerifyMs = 10_000;

/** Checks the data directory and the journal. */
export async function checkData(globals: GlobalOptions, store = 'sqlite'): Promise<Finding[]> {
  const directory = checkDirectory(globals.data);
  if (directory.some((finding) => finding.level === 'error')) return directory;
  const file = journalFile(globals);
  // `checkJournal` reports an address that cannot be resolved.
  const place = await resolveStoreAddress(store, globals.data).catch(() => store);
  if (place === 'sqlite' && !existsSync(file))
    return [...directory, ok(`no journal at ${shortPath(file)} yet; the first call creates it`)];
  return [...directory, await checkJournal(store, globals.data)];
}

function checkDirectory(directory: string): Finding[] {
  const shown = shortPath(directory);
  const another = 'name another one with --data';
  if (!existsSync(directory)) {
    if (isWritable(nearestDirectory(directory)))
      return [ok(`data directory ${shown} does not exist yet; it is created when needed`)];
    return [problem(`data directory ${shown} does not exist and cannot be created`, another)];
  }
  const stats = statSync(directory);
  if (!stats.isDirectory()) return [problem(`${shown} is not a directory`, another)];
  if (!isWritable(directory))
    return [problem(`data directory ${shown} cannot be written to`, `make it yours: chown -R "$USER" ${shown}`)];
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) {
    const mode = (stats.mode & 0o777).toString(8);
    const what = `other users of this machine can read the data directory ${shown} (mode ${mode})`;
    return [warning(what, `chmod 700 ${shown}`)];
  }
  return [ok(`data directory ${shown}, writable and private`)];
}

function nearestDirectory(path: string): string {
  let directory = path;
  while (!existsSync(directory) && dirname(directory) !== directory) directory = dirname(directory);
  return directory;
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function checkJournal(where: string, data: string): Promise<Finding> {
  const signal = AbortSignal.timeout(maxVerifyMs);
  let shown = '';
  try {
    const { store, server } = await openStore(where, data);
    shown = server === undefined ? shortPath(store.location) : `${store.location} (${server})`;
    try {
      const found = await new JournalReader(store).verify({ signal });
      if (found.ok) return ok(`journal ${shown}: ${found.entries} entries, the chain is intact`);
      return problem(`journal ${shown}: ${found.problem}`, 'keep a copy of it, then run signalbox journal verify');
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!signal.aborted) return problem(messageOf(error), fixOf(error, where));
    return warning(`journal ${shown} is too long to check here`, 'signalbox journal verify checks the whole journal');
  }
}

function fixOf(error: unknown, store: string): string {
  if (error instanceof SignalboxError && error.code === 'store-newer') return 'update Signalbox';
  if (store === 'sqlite') return 'restore the file from a backup, or move it away to start a new journal';
  return 'check the database, or set another address in "store" or SIGNALBOX_STORE';
}
