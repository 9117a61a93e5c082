import type { Configuration } from '../../config/configuration.ts';
import { readLock } from '../../config/lock/lock-file.ts';
import { secretVault } from '../../config/secrets/sealed-files.ts';
import type { ConfigurationTrust } from '../../config/trust/configuration-trust.ts';
import type { SecretOptions } from '../../journal/redaction.ts';
import { BegunServers } from '../servers/started-servers.ts';
import { BoxSecrets } from '../secrets/box-secrets.ts';
import type { ConfiguredBox } from './configured-box.ts';
import { readRules } from './configured-policies.ts';
import { fileVerdicts } from '../servers/protocol-version-file.ts';
import type { LateOptions } from './create-box.ts';
import { type SecretProblem, addSecrets, assertKept } from '../secrets/configured-secrets.ts';
import { StartQueue } from '../servers/start-queue.ts';
import { oauthTokenStore } from '../secrets/oauth-token-store.ts';
import { openTrust } from '../trust.ts';

/** What must be known before servers are started. */
export interface BeginOptions {
  /** The data directory. Without it nothing is written: the journal is in memory. */
  readonly data?: string;
  /** The data directory that secrets are read from. */
  readonly secretsFrom: string;
  /** Decides whether the configuration may be used; by default what was accepted on this machine. */
  readonly trust?: ConfigurationTrust;
}

/** A box that is still to be made, and whose servers are starting. */
export interface BegunBox {
  /** Makes the box. */
  open(late?: LateOptions): Promise<ConfiguredBox>;
  /** Raises the number of concurrent starts to the configured one. Called when clients are being answered, or when there are none. */
  startAll(): void;
  /** Ends the servers: without a box that has them, nobody else does. */
  close(): Promise<void>;
}

/**
 * Starts the servers outside as soon as nothing in the files forbids it, and before there is a box for their tools: to make one takes
 * as long as many of them. Refuses to with secrets that are not accepted, and with a configuration that is not trusted.
 */
export async function beginBox(
  configuration: Configuration,
  { data, secretsFrom, trust = openTrust(secretsFrom) }: BeginOptions,
  accept: (problems: readonly SecretProblem[]) => void = assertKept,
): Promise<BegunBox> {
  const policies = await readRules(configuration);
  // Before anything of it is resolved, loaded or started.
  await trust.assert({ configuration, rules: policies });
  readLock(configuration.directory);
  const secrets = new BoxSecrets();
  const secretProblems = addSecrets(configuration.secrets, (name, value) => secrets.add(name, value));
  accept(secretProblems);
  const vault = secretVault({ data: secretsFrom });
  const { directory, file } = configuration;
  const references = {
    directory,
    file,
    vault: trust.secretsFor(file, vault),
    tokens: oauthTokenStore(secretsFrom, file),
    addSecret: (name: string, value: string, options?: SecretOptions) => secrets.add(name, value, options),
    // What is told about servers goes to people and agents, not only into the record.
    redact: (text: string) => secrets.redact(text),
  };
  const verdicts = data === undefined ? undefined : fileVerdicts(data);
  const startQueue = new StartQueue(configuration.startup);
  const starting = { references, vault, verdicts, startQueue };
  const servers = await BegunServers.of(configuration, starting);
  return {
    async open(late = {}) {
      const { makeBox } = await import('./create-box.ts');
      const begun = { starting, trust, servers, policies, secretProblems };
      return await makeBox(
        configuration,
        { ...late, ...(data === undefined ? {} : { data }), secretsFrom },
        begun,
        secrets,
      );
    },
    startAll: () => startQueue.widen(),
    close: () => servers.close(),
  };
}
