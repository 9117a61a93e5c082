/** What is wrong with a lock file, and where in it. */
export class LockError extends Error {
  override readonly name = 'LockError';
  /** Keys from the root; empty when it is about the whole file. */
  readonly path: readonly string[];

  constructor(path: readonly string[], message: string, options?: ErrorOptions) {
    super(message, options);
    this.path = path;
  }
}
