/**
 * Things that come and go with every call. In the place of a `Set` or `Map` of them: those move into a new table now and then, and a
 * table that was left keeps everything that was in it, and the tables after it, until the next full collection of garbage.
 */
export class SlotMap<Value> {
  readonly #values: (Value | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#values.length - this.#free.length;
  }

  /** Answers the place, by which it is taken out again. */
  add(value: Value): number {
    const place = this.#free.pop() ?? this.#values.length;
    this.#values[place] = value;
    return place;
  }

  at(place: number): Value | undefined {
    return this.#values[place];
  }

  /** Once for each place that was given out. */
  remove(place: number): void {
    this.#values[place] = undefined;
    this.#free.push(place);
  }

  /** All that are there; while they are gone through, others may come and go. */
  *[Symbol.iterator](): Iterator<Value> {
    for (const value of this.#values) if (value !== undefined) yield value;
  }
}

/** The same by names. */
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

  /** In the place of what has the name, if anything does. */
  set(name: Name, value: Value): void {
    this.delete(name);
    this.#places.set(name, this.#slots.add(value));
  }

  /** True when there was something of that name. */
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
