/** Returns `value` with a type without `undefined`, which a value that was parsed from JSON or a query string cannot contain. */
export function omitUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return value as { [Key in keyof Value]: Exclude<Value[Key], undefined> };
}
