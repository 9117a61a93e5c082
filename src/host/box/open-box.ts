import type { Configuration } from '../../config/configuration.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import type { ConfigurationTrust } from '../../config/trust/configuration-trust.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { SecretOptions } from '../../redaction/redactor.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import type { SignalboxOptions } from '../../signalbox/signalbox-options.ts';
import { BoxSecrets, type SecretProblem, assertSecretsValid, registerSecrets } from '../secrets/box-secrets.ts';
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

/** Options of `openBox`. */
export interface BoxOptions extends StartOptions, Pick<SignalboxOptions, 'approve'> {
  /** The time to wait for external servers while none comes up (10 s). Slower servers join the catalog when they are up. */
  readonly waitMs?: number;
}

const defaultWaitMs = 10_000;

/** Opens the box of a configuration. Rejects when a secret cannot be redacted. */
export async function openBox(configuration: Configuration, options: BoxOptions): Promise<InternalSignalbox> {
  return (await openConfiguredBox(configuration, options)).box;
}

/** Opens a box that can follow changes of its configuration. Rejects like `openBox`. */
export async function openConfiguredBox(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  return await openPending(await startConfiguredServers(configuration, options), options);
}

/** Opens a box even if secrets have problems, which it reports as `secretProblems`. */
export async function openBoxForDiagnosis(configuration: Configuration, options: BoxOptions): Promise<ConfiguredBox> {
  return await openPending(await startConfiguredServers(configuration, options, () => undefined), options);
}

async function openPending(
  pending: PendingBox,
  { approve, waitMs = defaultWaitMs }: BoxOptions,
): Promise<ConfiguredBox> {
  try {
    pending.startAll();
    const configured = await pending.open(approve === undefined ? {} : { approve });
    await awaitFirstStarts(configured, waitMs);
    return configured;
  } catch (error) {
    await pending.close();
    throw error;
  }
}

/** Waits until the first start of every server has ended, or until no server has changed for `waitMs`. */
async function awaitFirstStarts(configured: ConfiguredBox, waitMs: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  const stop = configured.box.on('CatalogChanged', () => timer.refresh());
  await Promise.race([configured.ready(), timeout]);
  stop();
  clearTimeout(timer);
}
