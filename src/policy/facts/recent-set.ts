/** A set that forgets what was added first when it is full. */
export class RecentSet<Value> {
  readonly #values = new Set<Value>();
  /** All values in a ring. A `Set` takes longer to find its oldest value the more were removed before it. */
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
