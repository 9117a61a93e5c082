import { keyRing } from '../../config/secrets/key-ring.ts';
import { secretVault } from '../../config/secrets/sealed-files.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import { environment } from '../environment.ts';

/** Opens the secrets of a data directory, or of one space of it, with the keys of this machine or of `SIGNALBOX_SECRET_KEY`. */
export function openVault(data: string, space?: string): SecretVault {
  return secretVault({ data, keys: keyRing(data, environment), ...(space === undefined ? {} : { space }) });
}
