/** The changes that a call made. */
export interface ChangeList {
  readonly changes: readonly FileChange[];
  /** The total number of changes, which may exceed the number listed. */
  readonly total: number;
}

/** One change that a call made in a workspace. */
export interface FileChange {
  /** The workspace directory, when a call has several. */
  readonly workspace?: string;
  /** Relative to the workspace directory, with `/` between the parts. */
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  /** A unified diff, for text that is not too long. */
  readonly diff?: string;
  /** Changes besides or instead of text: `mode 644 → 755`, `now a symlink to a.txt`, `binary, 12 → 40 bytes`. */
  readonly note?: string;
}
