/**
 * Holds values that come and go with every call, in place of a `Set` or `Map`. V8 rehashes those into new tables, and an abandoned table
 * retains its values, and the tables after it, until the next full garbage collection.
 */
export class SlotMap<Value> {
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** Adds a value and returns its slot. */
  add(value: Value): number {
    const slot = this.#free.pop() ?? this.#values.length;
    this.#values[slot] = value;
    return slot;
  }

  at(slot: number): Value | undefined {
    return this.#values[slot];
  }

  /** Frees a slot. Call it exactly once for each slot that `add` returned. */
  remove(slot: number): void {
    this.#values[slot] = undefined;
    this.#free.push(slot);
  }

  /** Yields all values. The map may change during the iteration. */
  *[Symbol.iterator](): Iterator<Value> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** A `SlotMap` with keys. */
export class KeyedSlotMap<Key, Value> {
  readonly #slotByKey = new Map<Key, number>();
  readonly #slots = new SlotMap<Value>();

  get size(): number {
    return this.#slots.size;
  }

  has(key: Key): boolean {
    return this.#slotByKey.has(key);
  }

  get(key: Key): Value | undefined {
    const slot = this.#slotByKey.get(key);
    return slot === undefined ? undefined : this.#slots.at(slot);
  }

  /** Sets the value of a key and replaces an earlier one. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#slotByKey.set(key, this.#slots.add(value));
  }

  /** Deletes a key. Returns whether it existed. */
  delete(key: Key): boolean {
    const slot = this.#slotByKey.get(key);
    if (slot === undefined) return false;
    this.#slotByKey.delete(key);
    this.#slots.remove(slot);
    return true;
  }

  values(): Iterable<Value> {
    return this.#slots;
  }
}
