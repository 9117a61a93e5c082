import { readFileSync, statSync } from 'node:fs';
import { messageOf } from '../../core/errors.ts';
import { type Client, type ImportMachine, clients } from './clients/clients.ts';
import type { ClientReading, FileProblem, ClientServer, NamedPermission, SkippedServer } from './client-reading.ts';
import { ImportedSecrets } from './imported-secrets.ts';

/** The client and the file of a finding. */
export interface ImportOrigin {
  readonly client: Pick<Client, 'id' | 'title'>;
  readonly file: string;
}

/** The content of the files of other clients. */
export interface FoundServers {
  readonly servers: readonly (ClientServer & ImportOrigin)[];
  readonly skipped: readonly (SkippedServer & ImportOrigin)[];
  readonly problems: readonly (FileProblem & ImportOrigin)[];
  /** Permissions that are not part of a server's entry. */
  readonly permissions?: readonly (NamedPermission & ImportOrigin)[];
}

/** Options of `findServers`. */
export interface ImportSearch {
  /** The ids of the clients; all by default. */
  readonly from?: readonly string[];
  /** Larger files are not read. */
  readonly maxFileBytes?: number;
  /** The time limit; files that are not read within it are skipped. */
  readonly timeoutMs?: number;
  /** Sets all line numbers to 0, which is faster. */
  readonly withoutLines?: boolean;
  /** Collects the secrets that are found. */
  readonly secrets?: ImportedSecrets;
}

const defaultMaxFileBytes = 64 * 1024 * 1024;

/** Reads the files of all clients on a machine. Files that cannot be read are returned as problems. */
export async function findServers(machine: ImportMachine, search: ImportSearch = {}): Promise<FoundServers> {
  const {
    from,
    maxFileBytes = defaultMaxFileBytes,
    timeoutMs = Number.POSITIVE_INFINITY,
    withoutLines = false,
    secrets = new ImportedSecrets(),
  } = search;
  const deadline = performance.now() + timeoutMs;
  const readings: (ClientReading & ImportOrigin)[] = [];
  const seen = new Set<string>();
  for (const client of clients) {
    if (from !== undefined && !from.includes(client.id)) continue;
    for (const file of client.files(machine)) {
      // Compares times, because no timer fires while files are read synchronously.
      if (performance.now() > deadline) break;
      const size = seen.has(file) ? undefined : sizeOf(file);
      seen.add(file);
      if (size === undefined || size > maxFileBytes) continue;
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
    // A directory in the path is not accessible.
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
