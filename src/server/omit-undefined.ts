type OptionalKey<Value> = { [Key in keyof Value]-?: undefined extends Value[Key] ? Key : never }[keyof Value];

/** A type whose properties that may be `undefined` are absent instead. */
type Defined<Value> = {
  [Key in keyof Value as Key extends OptionalKey<Value> ? never : Key]: Value[Key];
} & { [Key in OptionalKey<Value>]?: Exclude<Value[Key], undefined> };

/** Returns a copy without the properties that are `undefined`. */
export function omitUndefined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<Value>;
}
