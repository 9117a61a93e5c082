import type { Configuration } from '../configuration.ts';
import type { ConfigurationEdit } from '../file/edit-configuration.ts';
import { referencedSecrets } from '../references.ts';
import type { SecretVault } from '../secrets/secret-vault.ts';
import type { ImportMachine } from './clients/clients.ts';
import { findServers } from './find-servers.ts';
import { ImportedSecrets } from './imported-secrets.ts';
import { type ImportPlan, type PlannedServer, type ImportTarget, planImport } from './plan-import.ts';

/** The servers that could be imported, and their secrets. */
export interface PreparedImport {
  readonly plan: ImportPlan;
  readonly secrets: ImportedSecrets;
}

/** Finds the servers of other clients on a machine. Writes nothing. */
export async function prepareImport(
  target: ImportTarget,
  vault: SecretVault,
  machine: ImportMachine,
  from?: readonly string[],
): Promise<PreparedImport> {
  const secrets = new ImportedSecrets((await vault.list()).map(({ name }) => name));
  const found = await findServers(machine, { secrets, ...(from === undefined ? {} : { from }) });
  return { plan: planImport(found, target, machine.directory), secrets };
}

/** Returns the found secrets that some entries refer to. */
export function secretsOf(entries: readonly unknown[], secrets: ImportedSecrets): ReadonlyMap<string, string> {
  return secrets.valuesOf(referencedSecrets(JSON.stringify(entries)));
}

/** Stores secrets encrypted. Call it before the edit, so that no entry refers to a missing secret. */
export async function storeSecrets(values: ReadonlyMap<string, string>, vault: SecretVault): Promise<void> {
  for (const [name, value] of values) await vault.set(name, value);
}

/** Returns the edits that add the servers to a configuration. */
export function importEdits(taken: readonly PlannedServer[]): ConfigurationEdit[] {
  return taken.map(({ name, entry }) => ({ path: ['mcpServers', name], value: entry }));
}

/** The number of servers of other clients that could be imported, with the clients. */
export interface ImportableServers {
  readonly servers: number;
  /** The titles of the clients. */
  readonly clients: readonly string[];
}

const none: ImportableServers = { servers: 0, clients: [] };
const maxFileBytes = 2 * 1024 * 1024;
const defaultTimeoutMs = 250;

/** Counts the servers that `import` would add. Stops after a short time, and ignores all problems. */
export async function countImportableServers(
  configuration: Configuration,
  machine: ImportMachine,
  timeoutMs = defaultTimeoutMs,
): Promise<ImportableServers> {
  try {
    const found = await findServers(machine, { timeoutMs, maxFileBytes, withoutLines: true });
    const names = configuration.servers.map(({ name }) => name);
    const { taken } = planImport(found, { ...configuration, names }, machine.directory);
    const clients = new Set(taken.flatMap(({ origins }) => origins.map(({ client }) => client.title)));
    return { servers: taken.length, clients: [...clients] };
  } catch {
    // A hint in the banner must not make the start fail.
    return none;
  }
}
