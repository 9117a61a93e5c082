/** What a call changed. */
export interface ChangeList {
  readonly changes: readonly FileChange[];
  /** How many there are in all; more than are listed when there are very many. */
  readonly total: number;
}

/** One thing a call changed in a workspace. */
export interface FileChange {
  /** The workspace directory, where a call has several. */
  readonly workspace?: string;
  /** Relative to the workspace directory, with `/` between the parts. */
  readonly path: string;
  readonly kind: 'added' | 'modified' | 'deleted';
  /** A unified diff, for text that is not too long. */
  readonly diff?: string;
  /** What changed besides or instead of text: `mode 644 → 755`, `now a symlink to a.txt`, `binary, 12 → 40 bytes`. */
  readonly note?: string;
}
