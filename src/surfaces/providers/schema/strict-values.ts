import type { JsonValue } from '../../../core/json/json.ts';
import { type SchemaObject, listed, resolveReference } from './subschemas.ts';

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

/** Adds the types that strict mode requires, derived from the values where the schema has none. */
export function typesOf(schema: SchemaObject): readonly string[] {
  const { type } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter(
    (name: unknown) => typeof name === 'string' && typeNames.has(name),
  ) as string[];
  if (types.length > 0) return types;
  const values = fixedValues(schema);
  if (values !== undefined) return [...new Set(values.map(typeOf))];
  if (Object.hasOwn(schema, 'properties')) return ['object'];
  return [];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Returns the values that a schema lists; undefined when it lists none. */
export function fixedValues(schema: boolean | SchemaObject): readonly JsonValue[] | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as JsonValue];
  return Array.isArray(schema['enum']) ? (schema['enum'] as JsonValue[]) : undefined;
}

/** Returns whether `null` is a value of its own, which must not be confused with an omitted argument. */
export function acceptsNull(root: SchemaObject, schema: boolean | SchemaObject, seen: Set<object>): boolean {
  if (typeof schema === 'boolean') return schema;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const target = resolveReference(root, schema['$ref']);
  if (target !== undefined) return acceptsNull(root, target, seen);
  const values = fixedValues(schema);
  if (values !== undefined) return values.includes(null);
  const branches = [...listed(schema, 'anyOf'), ...listed(schema, 'oneOf'), ...listed(schema, 'allOf')];
  if (branches.length > 0) return branches.some((branch) => acceptsNull(root, branch, seen));
  const { type } = schema;
  return Array.isArray(type) ? type.includes('null') : type === 'null';
}
