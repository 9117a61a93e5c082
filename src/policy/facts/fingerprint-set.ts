import { randomInt } from 'node:crypto';

const minSlots = 256;
// Random, so that an attacker cannot craft a text whose fingerprints all fall into neighboring slots.
const [lowFactor, highFactor] = [randomFactor(), randomFactor()];

/** The default minimum number of newest fingerprints that a set stores. */
export const minFingerprints = 65_536;

/**
 * A set of fingerprints (53-bit integers) that evicts the oldest. It holds at least the newest `capacity`, and at most twice as
 * many. Adding takes constant time.
 */
export class FingerprintSet {
  readonly #capacity: number;
  #newer = new FingerprintTable();
  #older: FingerprintTable | undefined;

  constructor(capacity: number = minFingerprints) {
    this.#capacity = capacity;
  }

  get isEmpty(): boolean {
    return this.#newer.size === 0;
  }

  /** The number of slots read so far, as a measure of work. */
  get probes(): number {
    return this.#newer.probes + (this.#older?.probes ?? 0);
  }

  add(print: number): void {
    if (this.#newer.size === this.#capacity) {
      this.#older = this.#newer;
      this.#newer = new FingerprintTable();
    }
    this.#newer.add(print);
  }

  addAll(prints: Iterable<number>): void {
    for (const print of prints) this.add(print);
  }

  has(print: number): boolean {
    return this.#newer.has(print) || this.#older?.has(print) === true;
  }
}

/**
 * A hash table with open addressing, at most half full. A free slot is 0, so numbers are stored plus one. Most lookups miss; a
 * filter with four bits per slot, small enough for the processor's cache, answers those.
 */
class FingerprintTable {
  #slots = new Float64Array(minSlots);
  #filter = new Uint8Array(minSlots / 2);
  #shift = 32 - Math.log2(minSlots);
  size = 0;
  probes = 0;

  add(print: number): void {
    const stored = print + 1;
    if (!this.#put(stored, mixBits(stored))) return;
    this.size += 1;
    if (this.size * 2 > this.#slots.length) this.#grow();
  }

  has(print: number): boolean {
    const stored = print + 1;
    const hash = mixBits(stored);
    const bit = hash >>> (this.#shift - 2);
    if (((this.#filter[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    return this.#slots[this.#find(stored, hash)] !== 0;
  }

  /** Adds a number. Returns whether it is new. */
  #put(stored: number, hash: number): boolean {
    const slot = this.#find(stored, hash);
    if (this.#slots[slot] !== 0) return false;
    this.#slots[slot] = stored;
    const bit = hash >>> (this.#shift - 2);
    this.#filter[bit >> 3] = (this.#filter[bit >> 3] ?? 0) | (1 << (bit & 7));
    return true;
  }

  /** Returns the slot of the number, or the free slot where it belongs. */
  #find(stored: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = hash >>> this.#shift;
    let found = slots[slot];
    while (found !== stored && found !== 0) {
      this.probes += 1;
      slot = (slot + 1) & last;
      found = slots[slot];
    }
    this.probes += 1;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    this.#filter = new Uint8Array(before.length);
    this.#shift -= 1;
    for (const stored of before) if (stored !== 0) this.#put(stored, mixBits(stored));
  }
}

function mixBits(stored: number): number {
  let hash = Math.imul(stored | 0, lowFactor);
  hash = Math.imul((hash ^ (hash >>> 15)) + ((stored / 0x100000000) | 0), highFactor);
  return Math.imul(hash ^ (hash >>> 13), lowFactor);
}

function randomFactor(): number {
  return randomInt(2 ** 31) * 2 + 1;
}
