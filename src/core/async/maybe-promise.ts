/** A value, or a promise of it. Code on the hot path returns the value itself when it has it, which saves a turn of the event loop. */
export type MaybePromise<Value> = Value | Promise<Value>;
