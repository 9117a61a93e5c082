/** What a request says, for those who tell "left out" from `undefined`: in JSON and in addresses there is only the first. */
export function omitUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return value as { [Key in keyof Value]: Exclude<Value[Key], undefined> };
}
