/** A value with its expiry time. */
export interface StoredValue {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The `until` of values that never expire: the last valid time of a `Date`. */
export const neverExpires = 8_640_000_000_000_000;

/** A change to the key-value store in the same transaction as an entry. If the change is rejected, the entry is not written. */
export type KeyValueChange = { readonly kind: string; readonly key: string } & (
  | ({ readonly change: 'put' } & StoredValue)
  /** Rejected when the key exists. */
  | ({ readonly change: 'add' } & StoredValue)
  /** Rejected when the key does not exist, or expires later than `until`. */
  | { readonly change: 'take'; readonly until?: number }
);

/**
 * The part of the `Store` interface for small values with an expiry time that all processes share: conversations of clients,
 * signed-in browsers, single-use codes. Credentials are stored as hashes.
 */
export interface KeyValueStore {
  /** Returns the current value of a key, including writes of other processes. */
  get(kind: string, key: string): Promise<StoredValue | undefined>;
  /** Returns all values of a kind, in the order of their keys. */
  list(kind: string): Promise<readonly (StoredValue & { readonly key: string })[]>;
  /** Returns all values whose kind begins with a prefix, ordered by kind and key. */
  listByPrefix(prefix: string): Promise<readonly (StoredValue & { readonly kind: string; readonly key: string })[]>;
  /** Sets the value of a key. */
  put(kind: string, key: string, value: StoredValue): Promise<void>;
  /** Sets the value of a key unless it exists. Returns the value that is stored now. */
  add(kind: string, key: string, value: StoredValue): Promise<StoredValue>;
  /** Extends the expiry of a key, and never shortens it. Returns false when the key does not exist. */
  extend(kind: string, key: string, until: number): Promise<boolean>;
  /**
   * Deletes a key and returns whether it existed. Of several concurrent calls, one returns true. With `until`, deletes only a value
   * that does not expire later.
   */
  take(kind: string, key: string, until?: number): Promise<boolean>;
}
