/** The conditions of a query that apply, and their values. */
export class Conditions {
  readonly values: (string | number)[] = [];
  readonly #conditions: string[] = [];

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Adds a condition with one `?`; none when there is no value to compare with. */
  add(condition: string, value: string | number | undefined): void {
    if (value === undefined) return;
    this.#conditions.push(condition);
    this.values.push(value);
  }

  /** Adds a condition without a value. */
  always(condition: string): void {
    this.#conditions.push(condition);
  }

  get where(): string {
    return this.isEmpty ? '' : `WHERE ${this.#conditions.join(' AND ')}`;
  }
}
