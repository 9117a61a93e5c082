import { requiredOf } from '../../../catalog/schema/schema-keywords.ts';
import { type JsonSchema, type JsonValue, isJsonObject } from '../../../core/json/json.ts';
import {
  type ArgumentRestorer,
  arrayRestorer,
  objectRestorer,
  unionRestorer,
  scalarRestorer,
} from './argument-restorer.ts';
import { type SchemaObject, isSchema, listedSubschemas, namedSubschemas, findSchema } from './subschemas.ts';

/** A schema in strict form, or the reason why it has none. */
export type StrictSchema =
  | {
      readonly ok: true;
      readonly schema: SchemaObject;
      /** Removes the nulls that represent omitted arguments. */
      readonly restore: ArgumentRestorer;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

const annotations = new Set('title description default examples deprecated readOnly writeOnly $comment'.split(' '));
const structuralOnly = new Set(['$defs', 'definitions', '$schema', '$id']);

class Inexpressible extends Error {}

interface Strict {
  readonly schema: SchemaObject;
  readonly restore: ArgumentRestorer;
}

interface Definition {
  readonly name: string;
  readonly depth: number;
  /** Absent while the conversion is in progress. */
  strict: Strict | undefined;
}

const structural = new Set(
  'type properties required additionalProperties items anyOf oneOf allOf $ref $defs definitions $schema $id $comment default examples deprecated readOnly writeOnly'.split(
    ' ',
  ),
);

/**
 * Returns the schema in the form that strict mode requires: objects closed, every property required, and `null` accepted for each that was
 * optional. It never accepts arguments (once restored) for which the original has no property. A keyword that strict mode does not
 * support is dropped with a warning if that only makes the schema more lenient; anything else makes the tool inexpressible.
 */
export function strictSchema(root: JsonSchema, rules: StrictRules): StrictSchema {
  try {
    if (!isJsonObject(root)) return { ok: false, reason: 'its schema says nothing about its arguments' };
    const writer = new StrictWriter(root, rules);
    const { schema, restore } = writer.write(root, 'the arguments', 1);
    const defs = writer.definitions();
    return {
      ok: true,
      schema: Object.keys(defs).length === 0 ? schema : { ...schema, $defs: defs },
      restore,
      warnings: writer.warnings(),
    };
  } catch (error) {
    if (error instanceof Inexpressible) return { ok: false, reason: error.message };
    throw error;
  }
}

class StrictWriter {
  readonly #root: SchemaObject;
  readonly #rules: StrictRules;
  readonly #dropped = new Set<string>();
  readonly #references = new Map<string, Definition>();
  #properties = 0;

  constructor(root: SchemaObject, rules: StrictRules) {
    this.#root = root;
    this.#rules = rules;
  }

  write(given: boolean | SchemaObject, at: string, depth: number): Strict {
    if (depth > this.#rules.maxDepth)
      throw new Inexpressible(`${at} is nested more than ${this.#rules.maxDepth} levels deep`);
    if (typeof given === 'boolean') throw new Inexpressible(`${at} may be anything`);
    const schema = this.#merged(given, at);
    if (schema['$ref'] !== undefined) return this.#reference(schema, at, depth);
    const branches = [...listedSubschemas(schema, 'anyOf'), ...listedSubschemas(schema, 'oneOf')];
    if (branches.length > 0) return this.#union(schema, branches, at, depth);
    const types = typesOf(schema);
    if (types.length === 0) throw new Inexpressible(`${at} may be of any type`);
    const supported = { type: types.length === 1 ? types[0] : types, ...this.#supported(schema) };
    const object = types.includes('object') ? this.#object(schema, at, depth) : undefined;
    const array = types.includes('array') ? this.#array(schema, at, depth) : undefined;
    const single = types.some((type) => type !== 'object' && type !== 'array')
      ? { restore: scalarRestorer }
      : undefined;
    return {
      schema: { ...supported, ...object?.schema, ...array?.schema },
      restore: unionRestorer([object, array, single].filter((part) => part !== undefined)),
    };
  }

  definitions(): SchemaObject {
    return Object.fromEntries([...this.#references.values()].map(({ name, strict }) => [name, strict?.schema ?? {}]));
  }

  warnings(): readonly string[] {
    const dropped = [...this.#dropped];
    return dropped.length === 0 ? [] : [`strict mode cannot enforce: ${dropped.join(', ')}`];
  }

  /** Replaces an `allOf` with a single schema by that schema. */
  #merged(schema: SchemaObject, at: string): SchemaObject {
    const { allOf, ...rest } = schema;
    if (allOf === undefined) return schema;
    const [only, ...others] = listedSubschemas(schema, 'allOf');
    if (others.length > 0 || !isJsonObject(only)) throw new Inexpressible(`${at} combines schemas with allOf`);
    const clash = Object.keys(only).find((keyword) => Object.hasOwn(rest, keyword) && !annotations.has(keyword));
    if (clash !== undefined) throw new Inexpressible(`${at} combines schemas with allOf`);
    return this.#merged({ ...only, ...rest }, at);
  }

  /** A reference has no sibling keywords. */
  #reference({ $ref, ...beside }: SchemaObject, at: string, depth: number): Strict {
    for (const keyword of Object.keys(beside))
      if (!annotations.has(keyword) && !structuralOnly.has(keyword)) this.#dropped.add(keyword);
    const target = findSchema(this.#root, $ref);
    if (target === undefined || typeof $ref !== 'string')
      throw new Inexpressible(`${at} refers to ${JSON.stringify($ref)}`);
    let entry = this.#references.get($ref);
    if (entry === undefined) {
      entry = { name: `definition${this.#references.size + 1}`, depth, strict: undefined };
      this.#references.set($ref, entry);
      entry.strict = this.write(target, at, depth);
    } else if (entry.strict === undefined && (entry.depth === depth || !this.#rules.allowsRecursion)) {
      throw new Inexpressible(`${at} refers to itself`);
    }
    const found = entry;
    return {
      schema: { $ref: `#/$defs/${entry.name}` },
      restore: {
        applies: (value) => found.strict?.restore.applies(value) ?? true,
        apply: (value) => found.strict?.restore.apply(value) ?? value,
      },
    };
  }

  #union(schema: SchemaObject, branches: readonly (boolean | SchemaObject)[], at: string, depth: number): Strict {
    const beside = Object.keys(schema).find((keyword) =>
      ['properties', 'items', 'additionalProperties', 'required'].includes(keyword),
    );
    if (beside !== undefined) throw new Inexpressible(`${at} has ${beside} beside anyOf or oneOf`);
    const written = branches.map((branch) => this.write(branch, at, depth));
    const { type: _, ...supported } = this.#supported(schema);
    return { schema: { ...supported, anyOf: written.map((branch) => branch.schema) }, restore: unionRestorer(written) };
  }

  #object(schema: SchemaObject, at: string, depth: number): Strict {
    const properties = namedSubschemas(schema, 'properties');
    const more = schema['additionalProperties'];
    if (more !== undefined && more !== false) throw new Inexpressible(`${at} may have properties of any name`);
    if (properties.length === 0 && more === undefined && depth > 1)
      throw new Inexpressible(`${at} may have properties of any name`);
    this.#properties += properties.length;
    if (this.#properties > this.#rules.maxProperties)
      throw new Inexpressible(`it has more than ${this.#rules.maxProperties} properties`);
    const required = new Set(requiredOf(schema));
    const missing = [...required].find((name) => !properties.some(([known]) => known === name));
    if (missing !== undefined)
      throw new Inexpressible(`${at} requires ${JSON.stringify(missing)}, which it does not describe`);
    const written = properties.map(([name, property]) => {
      const strict = this.write(property, `${JSON.stringify(name)} in ${at}`, depth + 1);
      const isOptional = !required.has(name);
      // In strict mode, `null` represents an omitted argument. Here the tool would receive `null` as a value, which might clear a
      // field.
      if (isOptional && acceptsNull(this.#root, property, new Set()))
        throw new Inexpressible(
          `${JSON.stringify(name)} in ${at} is optional and may be null, which mean different things`,
        );
      return { name, strict, nullable: isOptional };
    });
    return {
      schema: {
        properties: Object.fromEntries(
          written.map(({ name, strict, nullable }) => [
            name,
            nullable ? { anyOf: [strict.schema, { type: 'null' }] } : strict.schema,
          ]),
        ),
        required: written.map(({ name }) => name),
        additionalProperties: false,
      },
      restore: objectRestorer(
        new Map(written.map(({ name, strict, nullable }) => [name, { restore: strict.restore, nullable }])),
        new Map(properties.map(([name, property]) => [name, fixedValues(property)])),
      ),
    };
  }

  #array(schema: SchemaObject, at: string, depth: number): Strict {
    const items = schema['items'];
    if (!isSchema(items) || schema['prefixItems'] !== undefined)
      throw new Inexpressible(`${at} is an array without a schema for all of its items`);
    const strict = this.write(items, `the items of ${at}`, depth + 1);
    return { schema: { items: strict.schema }, restore: arrayRestorer(strict.restore) };
  }

  /** Returns the supported keywords except the structural ones. Records the unsupported ones. */
  #supported(schema: SchemaObject): SchemaObject {
    const supported: [string, unknown][] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (structural.has(keyword)) continue;
      if (!this.#takes(keyword, value)) this.#dropped.add(keyword);
      else supported.push([keyword, value]);
    }
    return Object.fromEntries(supported);
  }

  #takes(keyword: string, value: unknown): boolean {
    if (!this.#rules.keywords.has(keyword)) return false;
    if (keyword === 'format') return typeof value === 'string' && this.#rules.formats.has(value);
    // Constrained decoding does not support lookaround.
    return keyword !== 'pattern' || (typeof value === 'string' && !/\(\?<?[=!]/.test(value));
  }
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'null', 'object', 'array']);

/** Adds the types that strict mode requires, derived from the values where the schema has none. */
function typesOf(schema: SchemaObject): readonly string[] {
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
function fixedValues(schema: boolean | SchemaObject): readonly JsonValue[] | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (Object.hasOwn(schema, 'const')) return [schema['const'] as JsonValue];
  return Array.isArray(schema['enum']) ? (schema['enum'] as JsonValue[]) : undefined;
}

/** Returns whether `null` is a value of its own, which must not be confused with an omitted argument. */
function acceptsNull(root: SchemaObject, schema: boolean | SchemaObject, seen: Set<object>): boolean {
  if (typeof schema === 'boolean') return schema;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const target = findSchema(root, schema['$ref']);
  if (target !== undefined) return acceptsNull(root, target, seen);
  const values = fixedValues(schema);
  if (values !== undefined) return values.includes(null);
  const branches = [
    ...listedSubschemas(schema, 'anyOf'),
    ...listedSubschemas(schema, 'oneOf'),
    ...listedSubschemas(schema, 'allOf'),
  ];
  if (branches.length > 0) return branches.some((branch) => acceptsNull(root, branch, seen));
  const { type } = schema;
  return Array.isArray(type) ? type.includes('null') : type === 'null';
}

/** The constraints that a provider's strict mode can enforce. */
export interface StrictRules {
  /** The supported keywords, without the structural ones. */
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  readonly allowsRecursion: boolean;
  readonly maxProperties: number;
  readonly maxDepth: number;
}

/** OpenAI's structured outputs. */
export const openaiStrict: StrictRules = {
  keywords: new Set(
    'title description enum const pattern format minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(
      ' ',
    ),
  ),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  allowsRecursion: true,
  maxProperties: 5000,
  maxDepth: 10,
};

/** Anthropic's strict tools. */
export const anthropicStrict: StrictRules = {
  keywords: new Set(['title', 'description', 'enum', 'const', 'format']),
  formats: new Set([...openaiStrict.formats, 'uri']),
  allowsRecursion: false,
  maxProperties: 5000,
  maxDepth: 32,
};
