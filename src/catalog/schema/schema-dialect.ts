import { type JsonSchema, isJsonObject } from '../../core/json/json.ts';
import type { SchemaObject } from './schema-keywords.ts';

/** The dialects of JSON Schema for checking arguments. Draft-04 and draft-06 are treated as draft-07. */
export type Dialect = 'draft-07' | '2019-09' | '2020-12';

/** A schema, ready for a validator of its dialect. */
export interface DialectSchema {
  readonly dialect: Dialect;
  /** Without `$schema`. */
  readonly schema: JsonSchema;
  readonly notice?: string;
}

const known: readonly (readonly [name: RegExp, dialect: Dialect])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, '2020-12'],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, '2019-09'],
  [/^https?:\/\/json-schema\.org\/draft-0[467]\/(?:hyper-)?schema#?$/, 'draft-07'],
];
const draft04Pattern = /^https?:\/\/json-schema\.org\/draft-04\//;
/** Keywords that draft-07 does not have. A schema with one of them is not treated as draft-07. */
const newerKeywords =
  /"(?:prefixItems|\$dynamicRef|\$dynamicAnchor|\$recursiveRef|\$anchor|unevaluated\w+|dependent(?:Required|Schemas)|m(?:in|ax)Contains)":/;

const schemaMaps = new Set(['properties', 'patternProperties', 'definitions', '$defs', 'dependencies']);
const schemas = new Set(
  'items additionalItems additionalProperties not contains propertyNames if then else allOf anyOf oneOf'.split(' '),
);

/** Returns a schema in the dialect that its `$schema` declares; in 2020-12, the default of MCP, when it is absent or unknown. */
export function inDeclaredDialect(schema: JsonSchema): DialectSchema {
  if (typeof schema === 'boolean') return { dialect: '2020-12', schema };
  const { $schema, ...rest } = schema;
  if ($schema === undefined) return { dialect: '2020-12', schema: rest };
  const name = typeof $schema === 'string' ? $schema : JSON.stringify($schema);
  const dialect = known.find(([pattern]) => pattern.test(name))?.[1];
  if (dialect !== undefined) return { dialect, schema: draft04Pattern.test(name) ? fromDraft04(rest, true) : rest };
  const shown = JSON.stringify(name.slice(0, 100));
  return {
    dialect: '2020-12',
    schema: rest,
    notice: `its schema names the unknown dialect ${shown} and is read as 2020-12`,
  };
}

/** Returns a schema that is invalid in its declared dialect in an older dialect that it may be written in; `undefined` when there is none. */
export function inOlderDialect(schema: JsonSchema): DialectSchema | undefined {
  if (typeof schema === 'boolean' || newerKeywords.test(JSON.stringify(schema))) return undefined;
  const { $schema: _, ...rest } = schema;
  return { dialect: 'draft-07', schema: fromDraft04(rest, false) };
}

/** Rewrites the draft-04 forms: `id`, and boolean `exclusiveMinimum` and `exclusiveMaximum`. */
function fromDraft04(given: SchemaObject, hasIds: boolean): SchemaObject {
  const made: [string, unknown][] = Object.entries(given).map(([key, value]) => {
    if (schemaMaps.has(key) && isJsonObject(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, part(each, hasIds)]))];
    if (schemas.has(key))
      return [key, Array.isArray(value) ? value.map((each) => part(each, hasIds)) : part(value, hasIds)];
    return hasIds && key === 'id' && typeof value === 'string' && given['$id'] === undefined
      ? ['$id', value]
      : [key, value];
  });
  return exclusive(exclusive(Object.fromEntries(made), 'minimum', 'exclusiveMinimum'), 'maximum', 'exclusiveMaximum');
}

function part(value: unknown, hasIds: boolean): unknown {
  return isJsonObject(value) ? fromDraft04(value, hasIds) : value;
}

function exclusive(schema: SchemaObject, limit: string, keyword: string): SchemaObject {
  if (typeof schema[keyword] !== 'boolean') return schema;
  const { [keyword]: isExclusive, ...rest } = schema;
  if (isExclusive !== true || rest[limit] === undefined) return rest;
  const { [limit]: value, ...others } = rest;
  return { ...others, [keyword]: value };
}
