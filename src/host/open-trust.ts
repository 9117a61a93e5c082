import type { Configuration } from '../config/configuration.ts';
import { ConfigurationTrust } from '../config/trust/configuration-trust.ts';
import { readRules } from './box/configured-policies.ts';
import { trustVariable } from './environment.ts';

/** Opens the trust records of a data directory. `SIGNALBOX_TRUST` grants trust to this process in addition. */
export function openTrust(data: string): ConfigurationTrust {
  return new ConfigurationTrust({ data, trusted: trustVariable() });
}

/** Rejects with `configuration-untrusted` unless everything that the configuration does was accepted on this machine. */
export async function assertTrusted(configuration: Configuration, data: string): Promise<void> {
  const rules = await readRules(configuration);
  await openTrust(data).assert({ configuration, rules });
}
