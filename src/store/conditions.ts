/** Builds the WHERE clause of a query, with its values. */
export class Conditions {
  readonly values: (string | number)[] = [];
  readonly #conditions: string[] = [];

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Adds a condition with a value for each `?`. Does nothing when a value is `undefined`. */
  add(condition: string, ...values: readonly (string | number | undefined)[]): void {
    if (values.includes(undefined)) return;
    this.#conditions.push(condition);
    this.values.push(...(values as readonly (string | number)[]));
  }

  get where(): string {
    return this.isEmpty ? '' : `WHERE ${this.#conditions.join(' AND ')}`;
  }
}

/** Returns placeholders for a list, for a condition with `IN`. */
export function placeholders({ length }: readonly unknown[]): string {
  return Array.from({ length }, () => '?').join(', ');
}
