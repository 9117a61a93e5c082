import { SignalboxError } from '../../core/errors.ts';

/** Where the key to a secret is kept: in the system's keychain, in a file beside the secrets, or in SIGNALBOX_SECRET_KEY. */
export type KeyStore = 'keychain' | 'file' | 'environment';

/** A secret that is kept, without its value. */
export interface StoredSecret {
  readonly name: string;
  readonly store: KeyStore;
}

/** Keeps secrets by name, encrypted. */
export interface SecretVault {
  /** The value as it is now; `undefined` when there is none of that name. Throws when there is one that cannot be read. */
  get(name: string): Promise<string | undefined>;
  /** Says whether there is one, whether or not it can be read. Needs no key. */
  has(name: string): Promise<boolean>;
  set(name: string, value: string): Promise<StoredSecret>;
  /** Says whether there was one. */
  remove(name: string): Promise<boolean>;
  /** What is kept, by name. Needs no key. */
  list(): Promise<readonly StoredSecret[]>;
}

/** A secret, or the key to it, is there and cannot be used. */
export function secretUnusable(message: string, cause?: unknown): SignalboxError {
  return new SignalboxError('secret-unusable', message, cause === undefined ? {} : { cause });
}
