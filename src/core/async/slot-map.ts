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
    const place = this.#free.pop() ?? this.#values.length;
    this.#values[place] = value;
    return place;
  }

  at(place: number): Value | undefined {
    return this.#values[place];
  }

  /** Frees a slot. Call it exactly once for each slot that `add` returned. */
  remove(place: number): void {
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  /** Yields all values. The map may change during the iteration. */
  *[Symbol.iterator](): Iterator<Value> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** A `SlotMap` with keys. */
export class KeyedSlotMap<Name, Value> {
  readonly #places = new Map<Name, number>();
  readonly #slots = new SlotMap<Value>();

  get size(): number {
    return this.#slots.size;
  }

  has(name: Name): boolean {
    return this.#places.has(name);
  }

  get(name: Name): Value | undefined {
    const place = this.#places.get(name);
    return place === undefined ? undefined : this.#slots.at(place);
  }

  /** Sets the value of a key and replaces an earlier one. */
  set(name: Name, value: Value): void {
    this.delete(name);
    this.#places.set(name, this.#slots.add(value));
  }

  /** Deletes a key. Returns whether it existed. */
  delete(name: Name): boolean {
    const place = this.#places.get(name);
    if (place === undefined) return false;
    this.#places.delete(name);
    this.#slots.remove(place);
    return true;
  }

  values(): Iterable<Value> {
    return this.#slots;
  }
}
