import type { Configuration } from '../../config/configuration.ts';
import { type ConfigurationEdit, editConfiguration } from '../../config/file/edit-configuration.ts';
import { ImportedSecrets } from '../../config/import/imported-secrets.ts';
import type { ImportPlan } from '../../config/import/plan-import.ts';
import {
  type PreparedImport,
  importEdits,
  storeSecrets,
  prepareImport,
  secretsOf,
} from '../../config/import/prepare-import.ts';
import { protectedEntry } from '../../config/import/protected-secrets.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import type { ConfigurationTrust } from '../../config/trust/configuration-trust.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { ChangedServers, FoundServer } from '../../server/routes/servers/served-configuration.ts';
import { thisMachine } from '../environment.ts';

/** Options of `ServerEdits`. */
export interface ServerEditsOptions {
  configuration(): Configuration;
  readonly vault: SecretVault;
  readonly trust: Pick<ConfigurationTrust, 'acceptEdit'>;
  /** Rejects with `configuration-untrusted` when the current files were not accepted. */
  assertTrusted(): Promise<void>;
  /** Applies the current file to the box. */
  apply(configuration: Configuration): Promise<unknown>;
}

/** Adds servers to a configuration file and removes them, as the command line does. The caller must serialize the changes. */
export class ServerEdits {
  readonly #parts: ServerEditsOptions;

  constructor(parts: ServerEditsOptions) {
    this.#parts = parts;
  }

  /** Adds a server. Secrets in its entry are stored encrypted and replaced by references. */
  async add(name: string, entry: JsonObject): Promise<ChangedServers> {
    const { vault } = this.#parts;
    const { servers, builtinName, file } = this.#parts.configuration();
    if (name === builtinName || servers.some((each) => each.name === name))
      throw new SignalboxError('name-collision', `a server "${name}" exists already; choose another name`);
    const secrets = new ImportedSecrets((await vault.list()).map((each) => each.name));
    const safe = protectedEntry(name, entry, secrets);
    await this.#change(file, [{ path: ['mcpServers', name], value: safe.entry }], secretsOf([safe.entry], secrets));
    return { servers: [name], notes: safe.notes };
  }

  async remove(name: string): Promise<void> {
    const { file, servers } = this.#parts.configuration();
    const names = servers.map((each) => each.name);
    if (!names.includes(name)) throw unknown(name, names, 'the configuration has no server');
    await this.#change(file, [{ path: ['mcpServers', name], value: undefined }], new Map());
  }

  /** Returns the servers of other clients on this machine that the configuration does not have. */
  async listImportable(): Promise<readonly FoundServer[]> {
    const { plan, secrets } = await this.#prepare();
    return plan.taken.map((server) => shown(server, [...secretsOf([server.entry], secrets).keys()]));
  }

  /** Adds servers of other clients by name. */
  async importServers(names: readonly string[]): Promise<ChangedServers> {
    const { plan, secrets } = await this.#prepare();
    const known = plan.taken.map(({ name }) => name);
    const missing = names.find((name) => !known.includes(name));
    if (missing !== undefined) throw unknown(missing, known, 'no client of this machine has a server');
    const taken = plan.taken.filter(({ name }) => names.includes(name));
    const values = secretsOf(
      taken.map(({ entry }) => entry),
      secrets,
    );
    await this.#change(this.#parts.configuration().file, importEdits(taken), values);
    return { servers: taken.map(({ name }) => name), notes: taken.flatMap(({ notes }) => notes) };
  }

  #prepare(): Promise<PreparedImport> {
    const { servers, builtinName, directory } = this.#parts.configuration();
    const target = { names: servers.map(({ name }) => name), builtinName, directory };
    return prepareImport(target, this.#parts.vault, thisMachine(process.cwd()));
  }

  /** Edits the file. When the box refuses the change, restores the file and removes the new secrets. */
  async #change(
    file: string,
    edits: readonly ConfigurationEdit[],
    secrets: ReadonlyMap<string, string>,
  ): Promise<void> {
    const { vault } = this.#parts;
    // The edit applies the whole file, which may have changed.
    await this.#parts.assertTrusted();
    await storeSecrets(secrets, vault);
    try {
      await this.#follow(file, edits);
    } catch (error) {
      // Their names were new, so nothing else refers to them.
      for (const name of secrets.keys()) await vault.remove(name).catch(() => false);
      throw error;
    }
  }

  async #follow(file: string, edits: readonly ConfigurationEdit[]): Promise<void> {
    const configuration = await this.#edit(file, edits);
    try {
      await this.#parts.apply(configuration);
    } catch (error) {
      const added = edits.filter(({ value }) => value !== undefined);
      await this.#edit(
        file,
        added.map(({ path }) => ({ path, value: undefined })),
      );
      throw error;
    }
  }

  /** Edits the file and accepts the change, because a person requested it. */
  async #edit(file: string, edits: readonly ConfigurationEdit[]): Promise<Configuration> {
    const { configuration, before } = editConfiguration(file, edits);
    await this.#parts.trust.acceptEdit(before, { configuration, rules: [] });
    return configuration;
  }
}

function shown({ name, entry, origins, notes }: ImportPlan['taken'][number], secrets: readonly string[]): FoundServer {
  const from = origins.map(({ client, file }) => ({ client: client.title, file }));
  return { name, entry: { ...entry }, from, notes, secrets };
}

function unknown(name: string, names: readonly string[], what: string): SignalboxError {
  const meant = closestMatch(name, names);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  return new SignalboxError('server-unknown', `${what} "${name}"${hint}`);
}
