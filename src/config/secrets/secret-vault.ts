import { SignalboxError } from '../../core/errors.ts';

/** The location of the key of a secret: the system keychain, a file next to the secrets, or SIGNALBOX_SECRET_KEY. */
export type KeyStore = 'keychain' | 'file' | 'environment';

/** A stored secret without its value. */
export interface StoredSecret {
  readonly name: string;
  readonly store: KeyStore;
}

/** Stores secrets by name, encrypted. */
export interface SecretVault {
  /** Returns the current value; `undefined` when no secret has that name. Rejects when it cannot be decrypted. */
  get(name: string): Promise<string | undefined>;
  /** Returns whether a secret exists, even if it cannot be decrypted. Needs no key. */
  has(name: string): Promise<boolean>;
  set(name: string, value: string): Promise<StoredSecret>;
  /** Returns whether the secret existed. */
  remove(name: string): Promise<boolean>;
  /** Lists the secrets by name. Needs no key. */
  list(): Promise<readonly StoredSecret[]>;
}

/** Creates the error for a secret or key that exists and cannot be used. */
export function secretUnusable(message: string, cause?: unknown): SignalboxError {
  return new SignalboxError('secret-unusable', message, cause === undefined ? {} : { cause });
}
