/** A set with a maximum size, which evicts the oldest value when it is full. */
export class RecentSet<Value> {
  readonly #values = new Set<Value>();
  /** A ring buffer of all values. Finding the oldest value of a `Set` takes longer the more values were removed before it. */
  readonly #ring: Value[] = [];
  readonly #capacity: number;
  #oldest = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(value: Value): void {
    if (this.#values.has(value)) return;
    if (this.#ring.length < this.#capacity) this.#ring.push(value);
    else {
      this.#values.delete(this.#ring[this.#oldest] as Value);
      this.#ring[this.#oldest] = value;
      this.#oldest = (this.#oldest + 1) % this.#capacity;
    }
    this.#values.add(value);
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#values.values();
  }

  has(value: Value): boolean {
    return this.#values.has(value);
  }
}
