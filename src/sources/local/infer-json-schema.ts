/** The type of the values that a JSON Schema literal describes, as far as TypeScript can express it; `unknown` beyond that. */
export type FromJsonSchema<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Option)[] } | { readonly oneOf: readonly (infer Option)[] }
      ? FromJsonSchema<Option>
      : Schema extends { readonly type: infer Type }
        ? FromType<Type, Schema>
        : unknown;

/** The type that the keyword `type` of a JSON Schema describes, one name or several. */
export type FromType<Type, Schema> = Type extends readonly (infer Each)[]
  ? FromTypeName<Each, Schema>
  : FromTypeName<Type, Schema>;

/** The type that one name of the keyword `type` describes. */
export type FromTypeName<Name, Schema> = Name extends 'string'
  ? string
  : Name extends 'number' | 'integer'
    ? number
    : Name extends 'boolean'
      ? boolean
      : Name extends 'null'
        ? null
        : Name extends 'array'
          ? Schema extends { readonly items: infer Items }
            ? FromJsonSchema<Items>[]
            : unknown[]
          : Name extends 'object'
            ? FromObject<Schema>
            : unknown;

/** The type of the objects that a JSON Schema with `properties` describes. */
export type FromObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? Schema extends { readonly required: readonly (infer Required)[] }
    ? Simplify<
        {
          -readonly [Key in keyof Properties as Key extends Required ? Key : never]: FromJsonSchema<Properties[Key]>;
        } & {
          -readonly [Key in keyof Properties as Key extends Required ? never : Key]?: FromJsonSchema<Properties[Key]>;
        }
      >
    : { -readonly [Key in keyof Properties]?: FromJsonSchema<Properties[Key]> }
  : Record<string, unknown>;

/** The same object type, shown as one object. */
export type Simplify<Type> = { [Key in keyof Type]: Type[Key] };
