import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { KeyValueStore } from '../../journal/store/key-value-store.ts';
import type { Store } from '../../journal/store/store.ts';
import type { Facts } from '../../policy/facts/facts.ts';
import { minFingerprints } from '../../policy/facts/fingerprint-set.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const purpose = 'signalbox fingerprints of outputs';

/**
 * Encrypts fingerprints with a key that is derived from the journal's key and is not in the store, because overlapping hashes would reveal
 * a text to anyone who can test guesses.
 */
export class FingerprintCipher {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** Returns the cipher of a store; `undefined` when it has no key. */
  static of({ sealer }: Store): FingerprintCipher | undefined {
    return sealer === undefined ? undefined : new FingerprintCipher(Buffer.from(sealer.sign(purpose), 'hex'));
  }

  encrypt(call: string, prints: Float64Array): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(call));
    const bytes = new Uint8Array(prints.buffer, prints.byteOffset, prints.byteLength);
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]).toString('base64');
  }

  /** Returns the fingerprints; `undefined` when they were encrypted with another key, or for another call. */
  decrypt(call: string, text: string): Float64Array | undefined {
    const sealed = Buffer.from(text, 'base64');
    const nonce = sealed.subarray(0, nonceBytes);
    try {
      const decipher = createDecipheriv(algorithm, this.#key, nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(call))
        .setAuthTag(sealed.subarray(-tagBytes));
      const bytes = Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
      return new Float64Array(Uint8Array.from(bytes).buffer);
    } catch {
      return undefined;
    }
  }
}

/**
 * Stores the fingerprints of outputs that one principal received, by label, so that `flow` rules recognize the outputs after a
 * restart and in other processes. Removes outputs that are older than the period of the rules.
 */
export class StoredFingerprints {
  readonly #store: KeyValueStore;
  readonly #cipher: FingerprintCipher;
  readonly #principal: string;
  /** The outputs of each label, oldest first. */
  readonly #outputs = new Map<string, { readonly call: string; readonly count: number }[]>();

  constructor(store: KeyValueStore, cipher: FingerprintCipher, principal: string) {
    this.#store = store;
    this.#cipher = cipher;
    this.#principal = principal;
  }

  /** Reads all fingerprints of these labels. */
  async read(labels: readonly string[]): Promise<ReadonlyMap<string, readonly Float64Array[]>> {
    const found = new Map<string, readonly Float64Array[]>();
    for (const label of labels) {
      // Ids of calls sort by time.
      const rows = await this.#store.list(this.#kindOf(label));
      const outputs = rows.flatMap(({ key, text }) => {
        const prints = this.#cipher.decrypt(key, text);
        return prints === undefined ? [] : { call: key, prints };
      });
      this.#outputs.set(
        label,
        outputs.map(({ call, prints }) => ({ call, count: prints.length })),
      );
      found.set(
        label,
        outputs.map(({ prints }) => prints),
      );
    }
    return found;
  }

  /** Adds the fingerprints of one call that another process stored. */
  async addStored(facts: Facts, labels: readonly string[], call: string): Promise<void> {
    for (const label of labels) {
      const row = await this.#store.get(this.#kindOf(label), call);
      const prints = row === undefined ? undefined : this.#cipher.decrypt(call, row.text);
      if (prints !== undefined) facts.addFingerprints(label, prints);
    }
  }

  async put(labels: readonly string[], call: string, prints: Float64Array, until: number): Promise<void> {
    for (const label of labels) {
      const kind = this.#kindOf(label);
      await this.#store.put(kind, call, { text: this.#cipher.encrypt(call, prints), until });
      const outputs = this.#outputs.get(label) ?? [];
      outputs.push({ call, count: prints.length });
      this.#outputs.set(label, outputs);
      let total = outputs.reduce((sum, { count }) => sum + count, 0);
      for (
        let [oldest] = outputs;
        oldest !== undefined && total - oldest.count >= minFingerprints;
        [oldest] = outputs
      ) {
        outputs.shift();
        total -= oldest.count;
        await this.#store.take(kind, oldest.call);
      }
    }
  }

  #kindOf(label: string): string {
    return `fingerprints ${JSON.stringify([label, this.#principal])}`;
  }
}
