import type { Configuration } from '../configuration.ts';
import type { ConfigurationEdit } from '../file/edit-configuration.ts';
import { referencedSecrets } from '../references.ts';
import type { SecretVault } from '../secrets/secret-vault.ts';
import { currentMachine } from './clients/clients.ts';
import { findServers } from './find-servers.ts';
import { ImportedSecrets } from './imported-secrets.ts';
import { type ImportPlan, type PlannedServer, type Target, planImport } from './plan-import.ts';

/** What could be taken over, and the secrets that would come with it. */
export interface PreparedImport {
  readonly plan: ImportPlan;
  readonly secrets: ImportedSecrets;
}

/** Finds what other clients on this machine have, seen from a project's directory. Nothing is written. */
export async function prepareImport(
  target: Target,
  vault: SecretVault,
  { project, from }: { readonly project: string; readonly from?: readonly string[] | undefined },
): Promise<PreparedImport> {
  const secrets = new ImportedSecrets((await vault.list()).map(({ name }) => name));
  const found = await findServers(currentMachine(project), { secrets, ...(from === undefined ? {} : { from }) });
  return { plan: planImport(found, target, project), secrets };
}

/** The secrets that some entries refer to and that were found with them. */
export function secretsOf(entries: readonly unknown[], secrets: ImportedSecrets): ReadonlyMap<string, string> {
  return secrets.valuesOf(referencedSecrets(JSON.stringify(entries)));
}

/** Keeps secrets encrypted. Comes before the edit, so that no entry ever refers to what is not there. */
export async function keepSecrets(values: ReadonlyMap<string, string>, vault: SecretVault): Promise<void> {
  for (const [name, value] of values) await vault.set(name, value);
}

/** What a configuration is changed by to have the servers. */
export function importEdits(taken: readonly PlannedServer[]): ConfigurationEdit[] {
  return taken.map(({ name, entry }) => ({ path: ['mcpServers', name], value: entry }));
}

/** How many servers of other clients could be taken over, and whose they are. */
export interface ImportableServers {
  readonly servers: number;
  /** The clients' names. */
  readonly clients: readonly string[];
}

const none: ImportableServers = { servers: 0, clients: [] };
const largestFile = 2 * 1024 * 1024;

/** Counts what `import` would take over, in a time that nobody notices; what goes wrong counts as nothing. */
export async function countImportableServers(configuration: Configuration, withinMs = 250): Promise<ImportableServers> {
  try {
    const directory = process.cwd();
    const found = await findServers(currentMachine(directory), { withinMs, largestFile, withoutLines: true });
    const names = configuration.servers.map(({ name }) => name);
    const { taken } = planImport(found, { ...configuration, names }, directory);
    const clients = new Set(taken.flatMap(({ origins }) => origins.map(({ client }) => client.title)));
    return { servers: taken.length, clients: [...clients] };
  } catch {
    // A hint in the banner is not worth a failed start.
    return none;
  }
}
