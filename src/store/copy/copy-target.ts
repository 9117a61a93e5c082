import type { ChainHead } from '../../journal/store/store.ts';
import type { Verification } from '../../journal/integrity/hash-chain.ts';
import type { CopiedPage, CopiedRow, CopiedTable, CopiedValue } from './copy-source.ts';

/** How far a table has come. */
export interface CopiedSoFar {
  readonly rows: number;
  /** Where the next rows begin; `undefined` before the first. */
  readonly next: readonly CopiedValue[] | undefined;
}

/** Where everything is copied to. A copy that was cut short is found again, and nobody can use the place until it is whole. */
export interface CopyTarget {
  /** For people: without a password. */
  readonly location: string;
  /** Whether a copy was finished here before, and nothing was written since. */
  readonly isFinished: boolean;
  soFar(table: CopiedTable): CopiedSoFar;
  /** Writes the rows and how far it has come, both or neither. */
  write(table: CopiedTable, page: CopiedPage): Promise<void>;
  /** Waits until all of it is on the disk, and recomputes the chain. */
  verify(expected: ChainHead, signal?: AbortSignal): Promise<Verification>;
  /** All rows of a table, in any order, with the columns as the source has them. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>;
  /** Opens the place for everybody. */
  finish(): Promise<void>;
  close(): Promise<void>;
}
