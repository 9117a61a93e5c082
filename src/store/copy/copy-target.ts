import type { ChainHead } from '../../journal/store/store.ts';
import type { Verification } from '../../journal/integrity/hash-chain.ts';
import type { CopiedPage, CopiedRow, CopiedTable, CopiedValue } from './copy-source.ts';

/** The progress of a table. */
export interface CopiedSoFar {
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
  soFar(table: CopiedTable): CopiedSoFar;
  /** Writes the rows and the progress in one transaction. */
  write(table: CopiedTable, page: CopiedPage): Promise<void>;
  /** Flushes everything to the disk and verifies the hash chain. */
  verify(expected: ChainHead, signal?: AbortSignal): Promise<Verification>;
  /** Yields all rows of a table in any order, with the columns in the order of the source. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>;
  /** Opens the store for use. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
