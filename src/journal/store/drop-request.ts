import { SignalboxError } from '../../core/errors.ts';

/** The last entry that was dropped from the front of a journal; seq 0 while all of it is there. */
export interface Beginning {
  readonly seq: number;
  readonly hash: string;
  /** When that entry was made; 0 while all is there. */
  readonly at: number;
}

/** What is to be dropped. */
export interface DropRequest {
  /** Where the journal begins now; otherwise somebody else is at it. */
  readonly from: Pick<Beginning, 'seq' | 'hash'>;
  /** The last entry to go. */
  readonly to: Beginning;
  /** Approvals, kept results and the like that are older than this go too; milliseconds since 1970. */
  readonly before: number;
  readonly onProgress?: (entries: number) => void;
  readonly signal?: AbortSignal;
}

/** How much was dropped. */
export interface Dropped {
  readonly entries: number;
  readonly approvals: number;
  readonly results: number;
  readonly recordings: number;
  /** Idempotency keys, which can be taken again. */
  readonly claims: number;
}

export const unprunedJournal: Beginning = { seq: 0, hash: '', at: 0 };

/** Another process drops from the same journal. */
export function concurrentPruneError(): SignalboxError {
  return new SignalboxError(
    'journal-pruned',
    'another process prunes the same journal; what it leaves can be pruned when it is done',
  );
}
