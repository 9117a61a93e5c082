/** A set that forgets what was added first when it is full. */
export class RecentSet<Value> {
  readonly #values = new Set<Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(value: Value): void {
    if (this.#values.has(value)) return;
    if (this.#values.size === this.#most) {
      for (const oldest of this.#values) {
        this.#values.delete(oldest);
        break;
      }
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
