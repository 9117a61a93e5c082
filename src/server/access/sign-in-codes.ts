import { hashOf, newSecretId } from './secret-ids.ts';

const lifetimeMs = 10 * 60_000;

/** Codes that sign a browser in: each works once, for ten minutes. */
export class SignInCodes {
  readonly #expiries = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  mint(): string {
    this.#forgetExpired();
    const code = newSecretId();
    this.#expiries.set(hashOf(code), this.#now() + lifetimeMs);
    return code;
  }

  /** A link to the server at this address that signs a browser in. */
  linkAt(url: string): string {
    return `${url}/?token=${this.mint()}`;
  }

  /** Uses a code up. False when it was used before, has expired, or never was one. */
  redeem(code: string): boolean {
    this.#forgetExpired();
    return this.#expiries.delete(hashOf(code));
  }

  #forgetExpired(): void {
    for (const [hash, expiry] of this.#expiries) if (expiry <= this.#now()) this.#expiries.delete(hash);
  }
}
