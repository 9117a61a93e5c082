import { type JsonObject, type JsonSchema, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { type SchemaObject, requiredOf, resolveReference } from './schema-keywords.ts';

/** Fills in missing arguments in place. Returns whether it changed anything. */
export type FillDefaults = (args: JsonObject) => boolean;

/**
 * Returns a function that fills in the defaults of a schema; `undefined` when the schema has none. A property is filled in when it is
 * required, missing, and has a `default`: in the object itself, in objects and lists within it, through `allOf` and references
 * within the schema. Nothing is filled in below `anyOf`, `oneOf` and `if`: the branch that applies is not known.
 */
export function fillDefaultsOf(schema: JsonSchema): FillDefaults | undefined {
  if (!isJsonObject(schema) || !hasRequiredDefault(schema, schema, new Set())) return undefined;
  return (args) => fillObject(args, schema, schema);
}

function hasRequiredDefault(node: JsonSchema | undefined, root: SchemaObject, seen: Set<SchemaObject>): boolean {
  const schema = resolved(node, root);
  if (schema === undefined || seen.has(schema)) return false;
  seen.add(schema);
  const properties = propertiesOf(schema);
  if (requiredOf(schema).some((name) => defaultOf(properties, name, root) !== undefined)) return true;
  return [...Object.values(properties), ...allOf(schema), itemsOf(schema)].some((each) =>
    hasRequiredDefault(each, root, seen),
  );
}

function fillObject(value: JsonObject, node: JsonSchema, root: SchemaObject): boolean {
  const schema = resolved(node, root);
  if (schema === undefined) return false;
  const properties = propertiesOf(schema);
  let isFilled = false;
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(value, name) && fillValue(value[name], property, root)) isFilled = true;
  for (const name of requiredOf(schema)) {
    if (Object.hasOwn(value, name)) continue;
    const found = defaultOf(properties, name, root);
    if (found === undefined) continue;
    // Unlike assignment, this makes even `__proto__` an ordinary key. The default is copied because the tool may modify it.
    const copy = structuredClone(found.value);
    Object.defineProperty(value, name, { value: copy, enumerable: true, configurable: true, writable: true });
    isFilled = true;
    // Filling in a default of a recursive schema would never end.
    const property = properties[name];
    if (property !== undefined && !JSON.stringify(property).includes('"$ref"')) fillValue(copy, property, root);
  }
  for (const part of allOf(schema)) if (fillObject(value, part, root)) isFilled = true;
  return isFilled;
}

function fillValue(value: JsonValue | undefined, node: JsonSchema, root: SchemaObject): boolean {
  if (isJsonObject(value)) return fillObject(value, node, root);
  if (!Array.isArray(value)) return false;
  const schema = resolved(node, root);
  const items = schema === undefined ? undefined : itemsOf(schema);
  if (items === undefined) return false;
  return (value as JsonValue[]).map((each) => fillValue(each, items, root)).includes(true);
}

/** Resolves a reference within the document; returns a schema without a reference unchanged. */
function resolved(node: JsonSchema | undefined, root: SchemaObject): SchemaObject | undefined {
  let schema: unknown = node;
  for (let steps = 0; steps < 16; steps += 1) {
    if (!isJsonObject(schema)) return undefined;
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    schema = resolveReference($ref, root);
  }
  return undefined;
}

/** Returns the default of a property, from the property itself or from the schema that it refers to. */
function defaultOf(
  properties: SchemaObject,
  name: string,
  root: SchemaObject,
): { readonly value: JsonValue } | undefined {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const found = [property, resolved(property as JsonSchema | undefined, root)].find(
    (each) => isJsonObject(each) && Object.hasOwn(each, 'default'),
  ) as JsonObject | undefined;
  return found === undefined ? undefined : { value: found['default'] ?? null };
}

function propertiesOf({ properties }: SchemaObject): Record<string, JsonSchema> {
  return isJsonObject(properties) ? (properties as Record<string, JsonSchema>) : {};
}

function allOf({ allOf: parts }: SchemaObject): JsonSchema[] {
  return Array.isArray(parts) ? (parts as JsonSchema[]) : [];
}

function itemsOf({ items }: SchemaObject): JsonSchema | undefined {
  return isJsonObject(items) ? items : undefined;
}
