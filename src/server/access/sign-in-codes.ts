import type { KeptStore } from '../../journal/kept-store.ts';
import { hashOf, newSecretId } from './secret-ids.ts';

const kind = 'sign-in-code';
const lifetimeMs = 10 * 60_000;

/** Codes that sign a browser in: each works once, for ten minutes, at any server with the same records. */
export class SignInCodes {
  readonly #kept: KeptStore;

  constructor(kept: KeptStore) {
    this.#kept = kept;
  }

  async mint(): Promise<string> {
    const code = newSecretId();
    await this.#kept.put(kind, hashOf(code), { text: '', until: Date.now() + lifetimeMs });
    return code;
  }

  /** A link to the server at this address that signs a browser in. */
  async linkAt(url: string): Promise<string> {
    return `${url}/?token=${await this.mint()}`;
  }

  /** Uses a code up. False when it was used before, has expired, or never was one. */
  redeem(code: string): Promise<boolean> {
    return this.#kept.take(kind, hashOf(code));
  }
}
