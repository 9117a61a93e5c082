import { type JsonObject, type JsonSchema, type JsonValue, isJsonObject } from '../../core/json/json.ts';

/** Fills in missing arguments in place. Returns whether it changed anything. */
export type FillDefaults = (args: JsonObject) => boolean;

type Keywords = Exclude<JsonSchema, boolean>;

/**
 * Returns a function that fills in the defaults of a schema; `undefined` when the schema has none. A property is filled in when it is
 * required, missing, and has a `default`: in the object itself, in objects and lists within it, through `allOf` and references
 * within the schema. Nothing is filled in below `anyOf`, `oneOf` and `if`: the branch that applies is not known.
 */
export function fillDefaultsOf(schema: JsonSchema): FillDefaults | undefined {
  if (!isJsonObject(schema) || !hasRequiredDefault(schema, schema, new Set())) return undefined;
  return (args) => fillObject(args, schema, schema);
}

function hasRequiredDefault(node: JsonSchema | undefined, root: Keywords, seen: Set<Keywords>): boolean {
  const schema = resolved(node, root);
  if (schema === undefined || seen.has(schema)) return false;
  seen.add(schema);
  const properties = propertiesOf(schema);
  if (requiredOf(schema).some((name) => defaultOf(properties, name, root) !== undefined)) return true;
  return [...Object.values(properties), ...allOf(schema), itemsOf(schema)].some((each) =>
    hasRequiredDefault(each, root, seen),
  );
}

function fillObject(value: JsonObject, node: JsonSchema, root: Keywords): boolean {
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

function fillValue(value: JsonValue | undefined, node: JsonSchema, root: Keywords): boolean {
  if (isJsonObject(value)) return fillObject(value, node, root);
  if (!Array.isArray(value)) return false;
  const schema = resolved(node, root);
  const items = schema === undefined ? undefined : itemsOf(schema);
  if (items === undefined) return false;
  return (value as JsonValue[]).map((each) => fillValue(each, items, root)).includes(true);
}

/** Resolves a reference within the document; returns a schema without a reference unchanged. */
function resolved(node: JsonSchema | undefined, root: Keywords): Keywords | undefined {
  let schema: unknown = node;
  for (let steps = 0; steps < 16; steps += 1) {
    if (!isKeywords(schema)) return undefined;
    const { $ref } = schema;
    if (typeof $ref !== 'string') return schema;
    schema = referred($ref, root);
  }
  return undefined;
}

function referred($ref: string, root: Keywords): unknown {
  if ($ref !== '#' && !$ref.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const step of $ref.split('/').slice(1)) {
    const key = decoded(step);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

function decoded(step: string): string {
  const text = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the default of a property, from the property itself or from the schema that it refers to. */
function defaultOf(properties: Keywords, name: string, root: Keywords): { readonly value: JsonValue } | undefined {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  const found = [property, resolved(property as JsonSchema | undefined, root)].find(
    (each) => isKeywords(each) && Object.hasOwn(each, 'default'),
  ) as JsonObject | undefined;
  return found === undefined ? undefined : { value: found['default'] ?? null };
}

function propertiesOf({ properties }: Keywords): Record<string, JsonSchema> {
  return isKeywords(properties) ? (properties as Record<string, JsonSchema>) : {};
}

function requiredOf({ required }: Keywords): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function allOf({ allOf: parts }: Keywords): JsonSchema[] {
  return Array.isArray(parts) ? (parts as JsonSchema[]) : [];
}

function itemsOf({ items }: Keywords): JsonSchema | undefined {
  return isKeywords(items) ? items : undefined;
}

function isKeywords(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
