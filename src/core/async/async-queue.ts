/**
 * Carries values from code that pushes them at any time to one reader, in order and without loss. The reader gets everything that
 * was pushed before the end, then the end or its error.
 */
export class AsyncQueue<Value> implements AsyncIterable<Value> {
  #queued: Value[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  /** The number of queued values. */
  get length(): number {
    return this.#queued.length;
  }

  /** Adds a value; after the end, does nothing. */
  push(value: Value): void {
    if (this.#end !== undefined) return;
    this.#queued.push(value);
    this.#wake?.();
  }

  /** Ends the queue. Only the first call of `end` or `fail` has an effect. */
  end(): void {
    this.#end ??= {};
    this.#wake?.();
  }

  /** Ends the queue with an error, which the reader gets after all values. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** Yields all queued values in batches, none of which is empty. */
  async *batches(): AsyncGenerator<Value[], void, undefined> {
    for (;;) {
      // Nothing is awaited between finding the queue empty and setting `#wake`, so no push falls in between.
      if (this.#queued.length > 0) {
        const batch = this.#queued;
        this.#queued = [];
        yield batch;
      } else if (this.#end === undefined) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      } else if ('error' in this.#end) {
        throw this.#end.error;
      } else {
        return;
      }
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Value, void, undefined> {
    for await (const batch of this.batches()) yield* batch;
  }
}
