import type { Configuration } from 'src/config/configuration.ts';
import { ConfigurationTrust } from 'src/config/trust/configuration-trust.ts';
import { readRules } from './box/configured-policies.ts';

/** Opens the trust of a data directory, with what `SIGNALBOX_TRUST` grants to this process. */

export function openTrust(data: string): ConfigurationTrust {
  return new ConfigurationTrust({ data, trusted: process.env['SIGNALBOX_TRUST'] ?? '' });
}
/** Rejects with `configuration-untrusted` unless everything that the configuration does was accepted on this machine. */

export async function assertTrusted(configuration: Configuration, data: string): Promise<void> {
  const { openTrust } = await import('./open-trust.ts');
  const rules = await readRules(configuration);
  await openTrust(data).assert({ configuration, rules });
}
