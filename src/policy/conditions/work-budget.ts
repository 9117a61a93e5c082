/**
 * The maximum work of one decision, in units of about 10 ns. All rules of a call together stay within about 10 to 20 ms, which leaves
 * room for slower machines within the promised 50 ms. Measured by `npm run bench -- conditions`.
 */
export const maxWork = 1_000_000;

/** V8 takes up to 240 ns for each key of a large object. */
const keyWork = 30;
const freeKeyEnumeration = 256 * 1024;

/** SerializedError when a decision exceeds its work budget. The rule that throws it denies. */
export class WorkExceeded extends Error {
  constructor() {
    super(
      'the decision would take too much processor time on arguments of this size; send smaller arguments or simplify the condition',
    );
  }
}

/**
 * Counts the work of one decision. The count depends only on the conditions and the sizes of the values, never on a clock, so
 * that the same call gets the same answer everywhere. Once exceeded, the budget stays exceeded: a part of a condition that could
 * not be evaluated must not be ignored because another part was.
 */
export class WorkBudget {
  /** The length of the arguments as JSON text, an upper bound for the size of a value in them. */
  readonly argumentsSize: number;
  #left: number;
  #keys: WeakMap<object, readonly string[]> | undefined;

  constructor(argumentsSize: number, units: number = maxWork) {
    this.argumentsSize = argumentsSize;
    this.#left = units;
  }

  get isExceeded(): boolean {
    return this.#left < 0;
  }

  /** The remaining units. */
  get left(): number {
    return this.#left;
  }

  /** Deducts units. Returns false when too few are left. */
  take(units: number): boolean {
    this.#left -= units;
    return this.#left >= 0;
  }

  /** Deducts units. Throws a `WorkExceeded` when too few are left. */
  charge(units: number): void {
    if (!this.take(units)) throw new WorkExceeded();
  }

  /**
   * Returns the keys of an object, and charges for enumerating them. Their number is known only afterwards, so large
   * arguments are charged in advance. All objects of the arguments together have at most one key per five characters.
   */
  keysOf(object: object): readonly string[] {
    if (this.#keys === undefined) {
      this.charge(Math.max(0, this.argumentsSize - freeKeyEnumeration) * 3);
      this.#keys = new WeakMap();
    }
    let keys = this.#keys.get(object);
    if (keys === undefined) this.#keys.set(object, (keys = Object.keys(object)));
    this.charge(2 + keys.length * keyWork);
    return keys;
  }
}
