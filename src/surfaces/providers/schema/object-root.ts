import { requiredOf } from '../../../catalog/schema/schema-keywords.ts';
import type { JsonSchema } from '../../../core/json/json.ts';
import { type SchemaObject, listedSubschemas, namedSubschemas, findSchema } from './subschemas.ts';

/** A schema with an object root, as providers require it. */
interface ObjectRoot {
  readonly schema: SchemaObject;
  /** The constraints that the model no longer sees. Signalbox still validates the arguments against the original schema. */
  readonly warnings: readonly string[];
}

const unions = ['anyOf', 'oneOf'];
/** Keywords that depend on the branches of a combination, which the merged schema no longer has. */
const unevaluated = new Set(['unevaluatedProperties', 'unevaluatedItems']);

/**
 * Converts a schema for providers that require `type: "object"` at the root, without combinations of schemas. Adding the type
 * loses nothing, because arguments are always an object. The branches of a combination are merged, so the model sees every
 * argument but not which ones belong together.
 */
export function objectRoot(given: JsonSchema, forbidden: readonly string[]): ObjectRoot {
  if (given === true) return { schema: { type: 'object', properties: {} }, warnings: [] };
  if (given === false)
    return {
      schema: { type: 'object', properties: {} },
      warnings: ['no arguments fit this tool (its schema is false)'],
    };
  const found = [...forbidden, '$ref'].filter((keyword) => Object.hasOwn(given, keyword));
  const typed = !Object.hasOwn(given, 'type') || mayBeObject(given['type']);
  if (typed && found.length === 0)
    return { schema: given['type'] === 'object' ? given : { ...given, type: 'object' }, warnings: [] };
  const flat = flatten(given, given, new Map());
  const remaining = Object.entries(given).filter(([keyword]) => !found.includes(keyword) && !unevaluated.has(keyword));
  const schema = {
    ...Object.fromEntries(remaining),
    type: 'object',
    properties: flat.properties,
    ...(flat.required.length === 0 ? {} : { required: flat.required }),
    ...(flat.closed ? { additionalProperties: false } : {}),
  };
  const lost = flat.exact ? [] : found;
  return {
    schema,
    warnings: [
      ...(typed ? [] : [`its schema does not describe an object (type ${JSON.stringify(given['type'])})`]),
      ...(lost.length === 0
        ? []
        : [`${lost.join(', ')} at the root of its schema: the model does not see which arguments go together`]),
    ],
  };
}

function mayBeObject(type: unknown): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object'));
}

interface Flat {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  /** Whether every branch forbids additional properties. */
  readonly closed: boolean;
  /** Whether the merged schema is equivalent to the original. */
  readonly exact: boolean;
}

const nothing: Flat = { properties: {}, required: [], closed: false, exact: false };

/** Returns all properties of a schema and its branches, and those that are required in every case. */
function flatten(root: SchemaObject, given: boolean | SchemaObject, known: Map<object, Flat>): Flat {
  if (typeof given === 'boolean') return { ...nothing, exact: given };
  const before = known.get(given);
  if (before !== undefined) return before;
  // Ends the recursion for a schema that refers to itself.
  known.set(given, nothing);
  const target = findSchema(root, given['$ref']);
  const one = unions
    .flatMap((keyword) => listedSubschemas(given, keyword))
    .map((branch) => flatten(root, branch, known));
  const all = [...listedSubschemas(given, 'allOf'), ...(target === undefined ? [] : [target])].map((branch) =>
    flatten(root, branch, known),
  );
  const parts = [...all, ...one];
  const own = namedSubschemas(given, 'properties');
  const required = new Set([...requiredOf(given), ...all.flatMap((part) => part.required), ...requiredByAll(one)]);
  const merged = mergeProperties([...parts.map((part) => Object.entries(part.properties)), own]);
  const flat = {
    properties: merged.properties,
    required: [...required].filter((name) => Object.hasOwn(merged.properties, name)),
    closed:
      (given['additionalProperties'] === false && !Object.hasOwn(given, 'patternProperties')) ||
      (own.length === 0 && parts.length > 0 && parts.every((part) => part.closed)),
    exact:
      one.length === 0 &&
      merged.exact &&
      all.every((part) => part.exact) &&
      // Closed objects reject each other's properties.
      (all.every((part) => !part.closed) || (all.length === 1 && own.length === 0)) &&
      Object.keys(given).every(
        (keyword) => exactKeywords.has(keyword) || (closes(given, keyword) && all.length === 0),
      ) &&
      (given['$ref'] === undefined || target !== undefined) &&
      [...required].every((name) => Object.hasOwn(merged.properties, name)),
  };
  known.set(given, flat);
  return flat;
}

function closes(schema: SchemaObject, keyword: string): boolean {
  return keyword === 'additionalProperties' && schema[keyword] === false;
}

const exactKeywords = new Set(
  'type properties required allOf $ref $defs definitions $schema $id $comment title description examples default'.split(
    ' ',
  ),
);

function requiredByAll(branches: readonly Flat[]): readonly string[] {
  const [first, ...others] = branches;
  return first?.required.filter((name) => others.every((branch) => branch.required.includes(name))) ?? [];
}

/** Merges properties. A property that several branches describe accepts what any of them accepts. */
function mergeProperties(parts: readonly (readonly (readonly [string, unknown])[])[]): {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly exact: boolean;
} {
  const variants = new Map<string, Map<string, unknown>>();
  for (const [name, schema] of parts.flat()) {
    const known = variants.get(name) ?? new Map<string, unknown>();
    variants.set(name, known.set(JSON.stringify(schema), schema));
  }
  const properties = [...variants].map(([name, known]): [string, unknown] => {
    const [only, ...others] = known.values();
    return [name, others.length === 0 ? only : { anyOf: [...known.values()] }];
  });
  return { properties: Object.fromEntries(properties), exact: [...variants.values()].every(({ size }) => size === 1) };
}
