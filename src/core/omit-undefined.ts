type WithoutUndefined<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<Value[Key], undefined>;
};

/** Returns a copy without the properties that are `undefined`, which `exactOptionalPropertyTypes` does not accept for an optional property. */
export function omitUndefined<Value extends object>(value: Value): WithoutUndefined<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as WithoutUndefined<Value>;
}
