/**
 * The work that one decision may take, in units of about 10 ns: all rules of a call together stay within about 10 to 20 ms, which leaves
 * room for slower machines within the promised 50 ms. `npm run bench -- conditions` measures it.
 */
export const maxWork = 1_000_000;

/** V8 takes up to 240 ns for each key of an object that has many. */
const keyWork = 30;
const freeKeyEnumeration = 256 * 1024;

/** Thrown when a decision would take more work than it may; the rule that throws it denies. */
export class WorkExceeded extends Error {
  constructor() {
    super(
      'the decision would take too much processor time on arguments of this size; send smaller arguments or simplify the condition',
    );
  }
}

/**
 * Counts the work of one decision. The count depends on the conditions and on the sizes of the values alone, never on a clock, so
 * that the same call gets the same answer everywhere. Once exceeded it stays so: a part of a condition that could not be evaluated
 * must not be ignored because another part was.
 */
export class WorkBudget {
  /** The length of the arguments as JSON text: an upper bound for what one of its values can hold. */
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

  /** The units that are left. */
  get left(): number {
    return this.#left;
  }

  /** Takes units off. Returns false when there are not enough of them. */
  take(units: number): boolean {
    this.#left -= units;
    return this.#left >= 0;
  }

  /** Takes units off. Throws a `WorkExceeded` when there are not enough of them. */
  charge(units: number): void {
    if (!this.take(units)) throw new WorkExceeded();
  }

  /**
   * Returns the keys of an object, and charges for enumerating them. How many there are is known only afterwards, so large
   * arguments are charged in advance. All objects of the arguments together have at most one key for each five characters.
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
