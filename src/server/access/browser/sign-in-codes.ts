import type { KeyValueStore } from '../../../journal/store/key-value-store.ts';
import type { Principal } from '../../../core/principal.ts';
import { hashSecret, randomSecret } from '../random-secrets.ts';

const kind = 'sign-in-code';
const lifetimeMs = 10 * 60_000;

/** One-time codes that sign in a browser within ten minutes, at any replica. */
export class SignInCodes {
  readonly #store: KeyValueStore;

  constructor(store: KeyValueStore) {
    this.#store = store;
  }

  /** Creates a code for a person. */
  async create(person: Principal): Promise<string> {
    const code = randomSecret();
    await this.#store.put(kind, hashSecret(code), { text: JSON.stringify(person), until: Date.now() + lifetimeMs });
    return code;
  }

  /** Returns a sign-in link for a person, to the server at `url`. */
  async linkAt(url: string, person: Principal): Promise<string> {
    return `${url}/?token=${await this.create(person)}`;
  }

  /** Consumes a code and returns its person; `undefined` when it was used, has expired or is unknown. */
  async redeem(code: string): Promise<Principal | undefined> {
    const stored = await this.#store.get(kind, hashSecret(code));
    if (!(await this.#store.take(kind, hashSecret(code)))) return undefined;
    return stored === undefined || stored.text === '' ? undefined : (JSON.parse(stored.text) as Principal);
  }
}
