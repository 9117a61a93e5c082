import { resolveReference, schemaMapKeywords } from '../../../catalog/schema/schema-keywords.ts';
import { isJsonObject } from '../../../core/json/json.ts';

/** A schema that is an object of keywords. */
export type SchemaObject = Readonly<Record<string, unknown>>;

const schemas = new Set(
  'items additionalItems additionalProperties unevaluatedItems unevaluatedProperties contains propertyNames not if then else contentSchema'.split(
    ' ',
  ),
);
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);

/** Returns whether a value is a schema. */
export function isSchema(value: unknown): value is boolean | SchemaObject {
  return typeof value === 'boolean' || isJsonObject(value);
}

/** Returns the schemas of a keyword that contains schemas by name. Skips invalid entries. */
export function namedSubschemas(
  schema: SchemaObject,
  keyword: string,
): readonly (readonly [string, boolean | SchemaObject])[] {
  const value = schema[keyword];
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, sub]) => (isSchema(sub) ? [[name, sub] as const] : []))
    : [];
}

/** Returns the schemas of a keyword that contains a list of schemas. */
export function listedSubschemas(schema: SchemaObject, keyword: string): readonly (boolean | SchemaObject)[] {
  const value: unknown = schema[keyword];
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

/** Applies a function to each direct subschema. Leaves misplaced values unchanged. */
export function mapSubschemas(
  schema: SchemaObject,
  change: (subschema: boolean | SchemaObject, keyword: string, name: string) => unknown,
): SchemaObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (schemas.has(keyword) && isSchema(value)) return [keyword, change(value, keyword, '')];
    if (lists.has(keyword) && Array.isArray(value))
      return [keyword, value.map((entry: unknown) => (isSchema(entry) ? change(entry, keyword, '') : entry))];
    if (schemaMapKeywords.has(keyword) && isJsonObject(value))
      return [
        keyword,
        Object.fromEntries(
          Object.entries(value).map(([name, entry]) => [name, isSchema(entry) ? change(entry, keyword, name) : entry]),
        ),
      ];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

/** Resolves a reference within the same document; undefined when the target is not a schema. */
export function findSchema(root: SchemaObject, reference: unknown): boolean | SchemaObject | undefined {
  const found = typeof reference === 'string' ? resolveReference(reference, root) : undefined;
  return isSchema(found) ? found : undefined;
}
