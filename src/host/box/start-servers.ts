import type { Configuration } from '../../config/configuration.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import type { ConfigurationTrust } from '../../config/trust/configuration-trust.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { SecretOptions } from '../../redaction/redactor.ts';
import { BoxSecrets } from '../secrets/box-secrets.ts';
import { type SecretProblem, assertSecretsValid, registerSecrets } from '../secrets/box-secrets.ts';
import { oauthTokenStore } from '../secrets/oauth-token-store.ts';
import { openVault } from '../secrets/open-vault.ts';
import { protocolVersionFile } from '../servers/protocol-version-file.ts';
import { StartQueue } from '../servers/start-queue.ts';
import { StartedServers } from '../servers/started-servers.ts';
import { openTrust } from '../open-trust.ts';
import type { ConfiguredBox } from './configured-box.ts';
import { readRules } from './configured-policies.ts';
import type { CreateBoxOptions } from './create-box.ts';

/** Options of `startConfiguredServers`. */
export interface StartOptions {
  /** The data directory. Without it, nothing is written to disk and the journal is in memory. */
  readonly data?: string;
  /** The data directory that secrets are read from. */
  readonly secretsFrom: string;
  /** Decides whether the configuration may be used; by default, whether it was accepted on this machine. */
  readonly trust?: ConfigurationTrust;
}

/** A box that is not yet created, whose servers are starting. */
export interface PendingBox {
  /** Creates the box. */
  open(options?: CreateBoxOptions): Promise<ConfiguredBox>;
  /** Raises the number of concurrent starts to the configured one. Called once clients are served, or when there are none. */
  startAll(): void;
  /** Stops the servers. Only needed when the box could not be created, because the box stops them on close. */
  close(): Promise<void>;
}

/**
 * Starts the external servers of a configuration before the box is created, because both take time and can overlap. Rejects when
 * the configuration is not trusted, or when `accept` throws because of its secrets.
 */
export async function startConfiguredServers(
  configuration: Configuration,
  { data, secretsFrom, trust = openTrust(secretsFrom) }: StartOptions,
  accept: (problems: readonly SecretProblem[]) => void = assertSecretsValid,
): Promise<PendingBox> {
  const policies = await readRules(configuration);
  // Checked before anything of the configuration is resolved, loaded or started.
  await trust.assert({ configuration, rules: policies });
  readLock(configuration.directory);
  const secrets = new BoxSecrets();
  const secretProblems = registerSecrets(configuration.secrets, (name, value) => secrets.add(name, value));
  accept(secretProblems);
  const vault = openVault(secretsFrom);
  const { directory, file } = configuration;
  const references = {
    directory,
    file,
    vault: trust.secretsFor(file, vault),
    tokens: oauthTokenStore(secretsFrom, file),
    addSecret: (name: string, value: string, options?: SecretOptions) => secrets.add(name, value, options),
    // Reports about servers are shown to people and agents; they are redacted like the journal.
    redact: (text: string) => secrets.redact(text),
  };
  const protocolVersions = data === undefined ? undefined : protocolVersionFile(data);
  const startQueue = new StartQueue(configuration.startup);
  const context = { references, vault, protocolVersions, startQueue };
  const servers = await StartedServers.start(configuration, context);
  return {
    async open(options = {}) {
      const { createBox } = await import('./create-box.ts');
      const prepared = { context, trust, servers, policies, secretProblems };
      return await createBox(configuration, { ...options, ...omitUndefined({ data }), secretsFrom }, prepared, secrets);
    },
    startAll: () => startQueue.widen(),
    close: () => servers.close(),
  };
}
