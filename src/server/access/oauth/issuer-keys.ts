import { createHash } from 'node:crypto';
import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters, LocalJWKSet } from 'jose';
import { messageOf } from '../../../core/errors.ts';

/** How often keys are asked for. */
export interface KeyTimes {
  /** Keys that are older are asked for again, beside the requests that use them (10 minutes). */
  readonly freshMs: number;
  /** For how long after one reading nothing is read again, whatever keys are asked for (30 s); 5 s when it failed. */
  readonly coolDownMs: number;
  /** For how long keys are good when their issuer cannot be reached (a day). */
  readonly keptMs: number;
}

const usualTimes: KeyTimes = { freshMs: 10 * 60_000, coolDownMs: 30_000, keptMs: 24 * 60 * 60_000 };
const failedCoolDownMs = 5000;

/** Why there is no key. */
export class KeyMissing extends Error {
  override readonly name = 'KeyMissing';
  /** Whether the issuer could not be asked. */
  readonly isAway: boolean;

  constructor(isAway: boolean) {
    super(isAway ? 'the issuer cannot be reached' : 'the issuer has no such key');
    this.isAway = isAway;
  }
}

/** The keys of one issuer, as it publishes them. Outlasts the issuer's absence, and follows when it changes them. */
export class IssuerKeys {
  readonly #read: () => Promise<JSONWebKeySet>;
  readonly #log: (line: string) => void;
  readonly #times: KeyTimes;
  #set: LocalJWKSet | undefined;
  #ids: ReadonlySet<unknown> = new Set();
  #version = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<JSONWebKeySet>, log: (line: string) => void, times: Partial<KeyTimes> = {}) {
    this.#read = read;
    this.#log = log;
    this.#times = { ...usualTimes, ...times };
  }

  /** Another text whenever the keys are others. */
  get version(): string {
    if (this.#age() > this.#times.freshMs) void this.#readAgain();
    return this.#age() > this.#times.keptMs ? '' : this.#version;
  }

  has(id: string): boolean {
    return this.#age() <= this.#times.keptMs && this.#ids.has(id);
  }

  /** The key that a header names. Rejects with `KeyMissing`. */
  async find(header: JWSHeaderParameters & { readonly kid: string }): Promise<CryptoKey> {
    // Whatever came from somebody unknown asks the issuer at most once in a while.
    if (!this.has(header.kid)) await this.#readAgain();
    if (this.#set === undefined || !this.has(header.kid)) throw new KeyMissing(this.#hasFailed);
    return await this.#set(header);
  }

  #age(): number {
    return performance.now() - this.#readAt;
  }

  #readAgain(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    const coolDownMs = this.#hasFailed ? Math.min(failedCoolDownMs, this.#times.coolDownMs) : this.#times.coolDownMs;
    if (performance.now() - this.#triedAt < coolDownMs) return Promise.resolve();
    this.#triedAt = performance.now();
    return (this.#reading = this.#take().finally(() => (this.#reading = undefined)));
  }

  async #take(): Promise<void> {
    try {
      const [found, { createLocalJWKSet }] = await Promise.all([this.#read(), import('jose')]);
      const version = createHash('sha256').update(JSON.stringify(found)).digest('base64url');
      if (version !== this.#version) {
        this.#set = createLocalJWKSet(found);
        this.#ids = new Set(found.keys.map(({ kid }) => kid));
        this.#version = version;
      }
      this.#readAt = performance.now();
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#log(`the keys for tokens of OAuth cannot be read: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
  }
}
