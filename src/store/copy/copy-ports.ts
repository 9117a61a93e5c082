import type { ChainVerification } from '../../journal/integrity/hash-chain.ts';
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

/** The progress of a table. */
export interface CopyReportProgress {
  readonly rows: number;
  /** The key after which the next rows start; `undefined` before the first. */
  readonly next: readonly CopiedValue[] | undefined;
}

/** The store to copy to. An interrupted copy can be resumed, and the store cannot be used until the copy is complete. */
export interface CopyTarget {
  /** The display name, without a password. */
  readonly location: string;
  /** Whether an earlier copy was completed and nothing was written since. */
  readonly isFinished: boolean;
  soFar(table: CopiedTable): CopyReportProgress;
  /** Writes the rows and the progress in one transaction. */
  write(table: CopiedTable, page: CopiedPage): Promise<void>;
  /** Flushes everything to the disk and verifies the hash chain. */
  verify(expected: ChainHead, signal?: AbortSignal): Promise<ChainVerification>;
  /** Yields all rows of a table in any order, with the columns in the order of the source. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>;
  /** Opens the store for use. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
