/** Something small, and when its time is over. */
export interface StoredValue {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** For what is kept for good: the last moment there is. */
export const neverExpires = 8_640_000_000_000_000;

/** What an entry does to small things, in the same transaction. An entry whose change is refused is not written. */
export type KeyValueChange = { readonly kind: string; readonly key: string } & (
  | ({ readonly change: 'put' } & StoredValue)
  /** Refused when there is something already. */
  | ({ readonly change: 'add' } & StoredValue)
  /** Refused when there is nothing, or when it was given more time than `until`. */
  | { readonly change: 'take'; readonly until?: number }
);

/**
 * The part of the Store port for small things that every process of the store must know, each until its time is over: a
 * conversation of a client, a browser that is signed in, a code that works once. What lets somebody in is kept as a hash of it.
 */
export interface KeyValueStore {
  /** What is kept under this key, as it is now, whichever process changed it. */
  get(kind: string, key: string): Promise<StoredValue | undefined>;
  /** All of a kind, in the order of their keys. */
  list(kind: string): Promise<readonly (StoredValue & { readonly key: string })[]>;
  /** Returns everything whose kind begins with a prefix, in the order of kinds and keys. */
  listByPrefix(prefix: string): Promise<readonly (StoredValue & { readonly kind: string; readonly key: string })[]>;
  /** Keeps something, in the place of what was there. */
  put(kind: string, key: string, kept: StoredValue): Promise<void>;
  /** Keeps something unless there is something already; what is kept now. */
  add(kind: string, key: string, kept: StoredValue): Promise<StoredValue>;
  /** Gives something more time, never less; false when it is not there. */
  extend(kind: string, key: string, until: number): Promise<boolean>;
  /**
   * Takes something away; whether it was there. Of several who take it, one is told so. With `until`, only what was given no more
   * time than that.
   */
  take(kind: string, key: string, until?: number): Promise<boolean>;
}
