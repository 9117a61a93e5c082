import { existsSync } from 'node:fs';
import type { Configuration } from '../../config/configuration.ts';
import { type RunFile, readRunFiles } from '../../host/daemon/run-files.ts';
import { shortPath } from '../../host/data-directory.ts';
import { Failure } from '../fail.ts';
import type { Globals } from '../globals.ts';
import { printable } from '../printable.ts';
import { askServer } from '../status/ask-server.ts';
import type { Printer } from '../terminal.ts';
import { isSameFile } from '../server/connect.ts';

/**
 * Rejects with `server-running` when a server of the same configuration runs on the data directory, unless `isForced`: two of them would
 * start every program and run every job twice. Prints a note for a server of another configuration, which writes to the same journal.
 * Replicas on PostgreSQL share their work, and one that is stopping makes room.
 */
export async function assertOnlyServer(
  { file, store }: Pick<Configuration, 'file' | 'store'>,
  { data, json }: Globals,
  errors: Printer,
  isForced: boolean,
): Promise<void> {
  if (store !== 'sqlite') return;
  for (const server of readRunFiles(data)) {
    const { key: _key, ...asked } = server;
    if ((await askServer(asked)).status === 'stopping') continue;
    const where = `${server.url} (process ${server.pid})`;
    if (isOf(server, file) && !isForced)
      throw new Failure(
        1,
        'server-running',
        `a server with this configuration runs on ${shortPath(data)} already: ${where}`,
        {
          data: { url: server.url, pid: server.pid },
          next: 'signalbox open shows its console; stop it first, or add --force to start another one beside it',
        },
      );
    const { configuration = '' } = server;
    const its = existsSync(configuration) ? printable(shortPath(configuration)) : 'no configuration file';
    if (!json)
      await errors.print(
        `note: a server with ${its} runs on ${shortPath(data)} too, and both write to one journal: ${where}\n`,
      );
  }
}

/** Returns whether a server runs from this file; without a file, all servers run from the same defaults. */
function isOf({ configuration = '' }: RunFile, file: string): boolean {
  return existsSync(file) ? isSameFile(configuration, file) : !existsSync(configuration);
}
