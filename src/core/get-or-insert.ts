interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

/** Returns the value of a key in a map. Computes and stores it when it is missing. */
export function getOrInsert<Key, Value>(map: Cache<Key, Value>, key: Key, compute: (key: Key) => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = compute(key)));
  return value;
}
