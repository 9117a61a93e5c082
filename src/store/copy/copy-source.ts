import type { ChainHead } from '../../journal/store/store.ts';

/** A value of a row, as it is kept. */
export type CopiedValue = string | number | null;

/** A row, its values in the order of the columns of its table. */
export type CopiedRow = readonly CopiedValue[];

/** A table that is copied. */
export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Some rows of a table, and where the next ones begin. */
export interface CopiedPage {
  readonly rows: readonly CopiedRow[];
  readonly next: readonly CopiedValue[];
}

/** Where everything is copied from. Nothing is written there, and nobody else writes while it is open. */
export interface CopySource {
  /** For people. */
  readonly location: string;
  readonly head: ChainHead;
  /** In the order in which they are to be copied. */
  readonly tables: readonly CopiedTable[];
  /** The rows after a place; none at the end. A page is bounded in rows and in size. */
  page(table: CopiedTable, after: readonly CopiedValue[] | undefined): CopiedPage;
  close(): void;
}
