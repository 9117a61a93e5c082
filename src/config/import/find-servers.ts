import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { type Client, type Machine, clients } from './clients/clients.ts';
import type { ClientReading, FileProblem, FoundServer, NamedPermission, SkippedServer } from './found-server.ts';
import { ImportedSecrets } from './imported-secrets.ts';

/** Whose file something was found in. */
export interface Origin {
  readonly client: Pick<Client, 'id' | 'title'>;
  readonly file: string;
}

/** Everything that other clients' files say. */
export interface FoundServers {
  readonly servers: readonly (FoundServer & Origin)[];
  readonly skipped: readonly (SkippedServer & Origin)[];
  readonly problems: readonly (FileProblem & Origin)[];
  /** What clients say about tools apart from their servers. */
  readonly permissions?: readonly (NamedPermission & Origin)[];
}

/** Which clients to look at, and when to stop. */
export interface Search {
  /** The ids of the clients; all when absent. */
  readonly from?: readonly string[];
  /** Larger files are not read. */
  readonly largestFile?: number;
  /** How long to look; what is not read by then is left out. */
  readonly withinMs?: number;
  /** Leaves the lines at 0, which is faster. */
  readonly withoutLines?: boolean;
  /** Where the secrets that are found are remembered. */
  readonly secrets?: ImportedSecrets;
}

const usualLargestFile = 64 * 1024 * 1024;

/** Reads the files of all clients on this machine. Files that cannot be read are told, not thrown. */
export async function findServers(machine: Machine, search: Search = {}): Promise<FoundServers> {
  const {
    from,
    largestFile = usualLargestFile,
    withinMs = Number.POSITIVE_INFINITY,
    withoutLines = false,
    secrets = new ImportedSecrets(),
  } = search;
  const deadline = performance.now() + withinMs;
  const readings: (ClientReading & Origin)[] = [];
  const seen = new Set<string>();
  for (const client of clients) {
    if (from !== undefined && !from.includes(client.id)) continue;
    for (const file of client.files(machine)) {
      // By the clock: no timer fires while files are read.
      if (performance.now() > deadline) break;
      const size = seen.has(file) ? undefined : sizeOf(file);
      seen.add(file);
      if (size === undefined || size > largestFile) continue;
      const read = await client.load();
      const { home, directory } = machine;
      const text = textOf(file);
      const reading =
        typeof text === 'string'
          ? read(text, { file, home, directory, secrets, withoutLines })
          : { servers: [], skipped: [], problems: [text] };
      readings.push({ ...reading, client, file });
    }
  }
  return {
    servers: readings.flatMap(({ servers, client, file }) => servers.map((each) => ({ ...each, client, file }))),
    skipped: readings.flatMap(({ skipped, client, file }) => skipped.map((each) => ({ ...each, client, file }))),
    problems: readings.flatMap(({ problems, client, file }) => problems.map((each) => ({ ...each, client, file }))),
    permissions: readings.flatMap(({ permissions = [], client, file }) =>
      permissions.map((each) => ({ ...each, client, file })),
    ),
  };
}

function sizeOf(file: string): number | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() === true ? found.size : undefined;
  } catch {
    // A directory on the way that we may not enter: there is nothing for us there.
    return undefined;
  }
}

function textOf(file: string): string | FileProblem {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return { line: 0, message: `cannot be read: ${messageOf(error)}` };
  }
}
