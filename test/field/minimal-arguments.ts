import { type JsonObject, type JsonValue, isJsonObject } from '../../src/core/json/json.ts';
import { jsonText } from './json-text.ts';

const maxDepth = 6;

/** Returns the smallest value that a JSON Schema probably accepts: defaults, first choices, only required properties. */
export function minimalValue(schema: JsonValue, root: JsonValue = schema, depth = 0): JsonValue {
  if (!isJsonObject(schema) || depth > maxDepth) return depth > maxDepth ? null : {};
  const { default: preset, const: constant, enum: choices, examples } = schema;
  if (preset !== undefined) return preset;
  if (constant !== undefined) return constant;
  if (Array.isArray(choices) && choices.length > 0) return choices[0] as JsonValue;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as JsonValue;
  const variant = firstVariant(schema, root);
  if (variant !== undefined) return minimalValue(variant, root, depth + 1);
  switch (jsonText(typeOf(schema))) {
    case 'object':
      return minimalObject(schema, root, depth);
    case 'array': {
      const count = Number(schema['minItems'] ?? 0);
      return Array.from({ length: count }, () => minimalValue(schema['items'] ?? {}, root, depth + 1));
    }
    case 'number':
    case 'integer':
      return minimalNumber(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return minimalText(schema);
  }
}

function typeOf({ type, properties }: JsonObject): JsonValue | undefined {
  if (Array.isArray(type)) return (type as JsonValue[]).find((each) => each !== 'null') ?? 'null';
  return type ?? (properties === undefined ? undefined : 'object');
}

function firstVariant(schema: JsonObject, root: JsonValue): JsonValue | undefined {
  const { $ref, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') return resolveReference($ref, root);
  if (schema['properties'] !== undefined) return undefined;
  const variants = [anyOf, oneOf].find((each) => Array.isArray(each)) as readonly JsonValue[] | undefined;
  return variants?.find((each) => !isJsonObject(each) || each['type'] !== 'null');
}

function resolveReference(reference: string, root: JsonValue): JsonValue {
  let found: JsonValue = root;
  for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    if (!isJsonObject(found)) return {};
    found = found[step.replaceAll('~1', '/').replaceAll('~0', '~')] ?? {};
  }
  return found;
}

function minimalObject({ properties, required }: JsonObject, root: JsonValue, depth: number): JsonObject {
  const known = isJsonObject(properties) ? properties : {};
  const names = Array.isArray(required) ? (required as readonly string[]) : [];
  return Object.fromEntries(names.map((name) => [name, minimalValue(known[name] ?? {}, root, depth + 1)]));
}

function minimalNumber({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number') return minimum;
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1;
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1;
}

const texts: Readonly<Record<string, string>> = {
  uri: 'http://127.0.0.1:9/',
  url: 'http://127.0.0.1:9/',
  email: 'field@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
};

function minimalText({ format, minLength }: JsonObject): string {
  return (texts[jsonText(format)] ?? 'field').padEnd(Number(minLength ?? 0), 'x');
}
