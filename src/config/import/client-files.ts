import type { Configuration } from '../configuration.ts';
import { findServers } from './find-servers.ts';
import { planImport } from './plan-import.ts';
import { thisMachine } from './clients/this-machine.ts';

/** How many servers of other clients could be taken over, and whose they are. */
export interface ClientFiles {
  readonly servers: number;
  /** The clients' names. */
  readonly clients: readonly string[];
}

const none: ClientFiles = { servers: 0, clients: [] };
const largestFile = 2 * 1024 * 1024;

/** Counts what `import` would take over, in a time that nobody notices; what goes wrong counts as nothing. */
export async function findClientFiles(configuration: Configuration, withinMs = 250): Promise<ClientFiles> {
  try {
    const directory = process.cwd();
    const found = await findServers(thisMachine(directory), { withinMs, largestFile, withoutLines: true });
    const names = configuration.servers.map(({ name }) => name);
    const { taken } = planImport(found, { ...configuration, names }, directory);
    const clients = new Set(taken.flatMap(({ origins }) => origins.map(({ client }) => client.title)));
    return { servers: taken.length, clients: [...clients] };
  } catch {
    // A hint in the banner is not worth a failed start.
    return none;
  }
}
