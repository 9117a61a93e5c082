import { createHash } from 'node:crypto';
import type { CryptoKey, JSONWebKeySet, JWSHeaderParameters, LocalJWKSet } from 'jose';
import { messageOf } from '../../../core/errors.ts';

/** The cache times for the keys of an issuer. */
export interface KeyCacheTimes {
  /** Older keys are read again in the background (10 minutes). */
  readonly freshMs: number;
  /** The minimum time between two reads, also for unknown keys (30 s); 5 s after a failure. */
  readonly coolDownMs: number;
  /** The time for which keys stay valid while their issuer cannot be reached (a day). */
  readonly maxStaleMs: number;
}

const defaultTimes: KeyCacheTimes = { freshMs: 10 * 60_000, coolDownMs: 30_000, maxStaleMs: 24 * 60 * 60_000 };
const failedCoolDownMs = 5000;

/** No key matches a token. */
export class KeyMissingError extends Error {
  override readonly name = 'KeyMissingError';
  /** The keys could not be read. */
  readonly isUnreachable: boolean;

  constructor(isUnreachable: boolean) {
    super(isUnreachable ? 'the issuer cannot be reached' : 'the issuer has no such key');
    this.isUnreachable = isUnreachable;
  }
}

/** Caches the keys that one issuer publishes, and reads them again when they are old or a key is unknown. */
export class IssuerKeys {
  readonly #read: () => Promise<JSONWebKeySet>;
  readonly #log: (line: string) => void;
  readonly #times: KeyCacheTimes;
  #set: LocalJWKSet | undefined;
  #ids: ReadonlySet<unknown> = new Set();
  #version = '';
  #readAt = Number.NEGATIVE_INFINITY;
  #lastAttemptAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;
  #reading: Promise<void> | undefined;

  constructor(read: () => Promise<JSONWebKeySet>, log: (line: string) => void, times: Partial<KeyCacheTimes> = {}) {
    this.#read = read;
    this.#log = log;
    this.#times = { ...defaultTimes, ...times };
  }

  /** Changes with the keys. */
  get version(): string {
    if (this.#age() > this.#times.freshMs) void this.#readAgain();
    return this.#age() > this.#times.maxStaleMs ? '' : this.#version;
  }

  has(id: string): boolean {
    return this.#age() <= this.#times.maxStaleMs && this.#ids.has(id);
  }

  /** Returns the key that a JWT header names. Rejects with `KeyMissingError`. */
  async find(header: JWSHeaderParameters & { readonly kid: string }): Promise<CryptoKey> {
    // `coolDownMs` limits how often tokens with unknown keys make the server ask the issuer.
    if (!this.has(header.kid)) await this.#readAgain();
    if (this.#set === undefined || !this.has(header.kid)) throw new KeyMissingError(this.#hasFailed);
    return await this.#set(header);
  }

  #age(): number {
    return performance.now() - this.#readAt;
  }

  #readAgain(): Promise<void> {
    if (this.#reading !== undefined) return this.#reading;
    const coolDownMs = this.#hasFailed ? Math.min(failedCoolDownMs, this.#times.coolDownMs) : this.#times.coolDownMs;
    if (performance.now() - this.#lastAttemptAt < coolDownMs) return Promise.resolve();
    this.#lastAttemptAt = performance.now();
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
      if (!this.#hasFailed) this.#log(`cannot read the keys that verify OAuth tokens: ${messageOf(error)}`);
      this.#hasFailed = true;
    }
  }
}
