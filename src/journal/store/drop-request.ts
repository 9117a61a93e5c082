import { SignalboxError } from '../../core/errors.ts';

/** The last entry that was dropped from the front of the journal; seq 0 while the journal is complete. */
export interface Beginning {
  readonly seq: number;
  readonly hash: string;
  /** The time of that entry; 0 while the journal is complete. */
  readonly at: number;
}

/** The range of entries to drop. */
export interface DropRequest {
  /** The expected beginning of the journal. A different one means that another process is pruning. */
  readonly from: Pick<Beginning, 'seq' | 'hash'>;
  /** The last entry to drop. */
  readonly to: Beginning;
  /** Also drops approvals, stored results and similar records older than this; milliseconds since 1970. */
  readonly before: number;
  readonly onProgress?: (entries: number) => void;
  readonly signal?: AbortSignal;
}

/** The number of dropped records. */
export interface DropResult {
  readonly entries: number;
  readonly approvals: number;
  readonly results: number;
  readonly recordings: number;
  /** Idempotency keys, which can be claimed again. */
  readonly claims: number;
}

export const unprunedJournal: Beginning = { seq: 0, hash: '', at: 0 };

/** Returns the error for a journal that another process is pruning. */
export function concurrentPruneError(): SignalboxError {
  return new SignalboxError('journal-pruned', 'another process is pruning the same journal; try again when it is done');
}
