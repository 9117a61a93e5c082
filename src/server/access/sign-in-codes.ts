import type { KeyValueStore } from '../../journal/store/key-value-store.ts';
import type { Principal } from '../../core/principal.ts';
import { hashOf, newSecretId } from './secret-ids.ts';

const kind = 'sign-in-code';
const lifetimeMs = 10 * 60_000;

/** Codes that sign a browser in: each works once, for ten minutes, at any server with the same records. */
export class SignInCodes {
  readonly #kept: KeyValueStore;

  constructor(kept: KeyValueStore) {
    this.#kept = kept;
  }

  /** Returns a code that signs this person in. */
  async mint(person: Principal): Promise<string> {
    const code = newSecretId();
    await this.#kept.put(kind, hashOf(code), { text: JSON.stringify(person), until: Date.now() + lifetimeMs });
    return code;
  }

  /** Returns a link to the server at this address that signs this person in. */
  async linkAt(url: string, person: Principal): Promise<string> {
    return `${url}/?token=${await this.mint(person)}`;
  }

  /** Uses a code up, and returns whom it signs in. `undefined` when it was used before, has expired, or never was one. */
  async redeem(code: string): Promise<Principal | undefined> {
    const kept = await this.#kept.get(kind, hashOf(code));
    return (await this.#kept.take(kind, hashOf(code))) ? signedInPerson(kept?.text) : undefined;
  }
}

/** Returns whom a code is for; `undefined` for codes of versions that did not note it. */
function signedInPerson(text: string | undefined): Principal | undefined {
  return text === undefined || text === '' ? undefined : (JSON.parse(text) as Principal);
}
