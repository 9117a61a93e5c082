import type { ConfigurationEdit } from '../file/edit-configuration.ts';
import { referencedSecrets } from '../references.ts';
import type { SecretVault } from '../secrets/secret-vault.ts';
import { findServers } from './find-servers.ts';
import { ImportedSecrets } from './imported-secrets.ts';
import { type ImportPlan, type PlannedServer, type Target, planImport } from './plan-import.ts';
import { thisMachine } from './clients/this-machine.ts';

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
  const found = await findServers(thisMachine(project), { secrets, ...(from === undefined ? {} : { from }) });
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
