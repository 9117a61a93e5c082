import type { ChainHead } from '../../journal/store/store.ts';

/** A stored value of a row. */
export type CopiedValue = string | number | null;

/** A row: its values in the order of the table's columns. */
export type CopiedRow = readonly CopiedValue[];

/** A table to copy. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** A page of rows, and the key after which the next page starts. */
export interface CopiedPage {
  readonly rows: readonly CopiedRow[];
  readonly next: readonly CopiedValue[];
}

/** The store to copy from. It is read-only and locked against other writers while it is open. */
export interface CopySource {
  /** The display name. */
  readonly location: string;
  readonly head: ChainHead;
  /** The tables in copy order. */
  readonly tables: readonly CopiedTable[];
  /** Returns the rows after a key; no rows at the end. A page is limited in rows and in size. */
  page(table: CopiedTable, after: readonly CopiedValue[] | undefined): CopiedPage;
  close(): void;
}
