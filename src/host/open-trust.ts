import { ConfigurationTrust } from '../config/trust/configuration-trust.ts';

/** Opens the trust of a data directory, with what `SIGNALBOX_TRUST` grants to this process. */
export function openTrust(data: string): ConfigurationTrust {
  return new ConfigurationTrust({ data, trusted: process.env['SIGNALBOX_TRUST'] ?? '' });
}
