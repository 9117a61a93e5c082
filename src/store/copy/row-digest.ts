import { hash } from 'node:crypto';
import type { CopiedRow, CopiedValue } from './copy-source.ts';

/** Says in one number which rows a table has, in whatever order they come: each store has its own. */
export class RowDigest {
  #sum = 0n;
  #rows = 0;

  add(rows: readonly CopiedRow[]): void {
    for (const row of rows) this.#sum += BigInt(`0x${hash('sha256', JSON.stringify(row.map(withoutNul)), 'hex')}`);
    this.#rows += rows.length;
  }

  get rows(): number {
    return this.#rows;
  }

  get text(): string {
    return `${this.#rows}:${this.#sum.toString(16)}`;
  }
}

/** Not every store can keep a NUL; there a sign stands in its place. */
function withoutNul(value: CopiedValue): CopiedValue {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
