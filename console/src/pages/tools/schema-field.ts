import type { JsonSchema } from '../../api/schema.ts';

/** A form field derived from a JSON Schema. Schemas that a form cannot express become `json` fields. */
export type SchemaField = FieldInfo &
  (
    | { readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'json' }
    | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
    | { readonly kind: 'list'; readonly item: SchemaField }
    | { readonly kind: 'object'; readonly fields: readonly NamedField[] }
    | { readonly kind: 'variants'; readonly variants: readonly SchemaField[] }
  );

/** A field of an object. */
export interface NamedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: SchemaField;
}

interface FieldInfo {
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly isNullable: boolean;
  /** Further constraints: `at least 1`. */
  readonly limits: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

// A schema may refer to itself.
const maxDepth = 6;
const maxFields = 200;

/** Converts a JSON Schema to a field. The schema comes from a server and is not trusted. */
export function parseSchemaField(schema: JsonSchema, root: JsonSchema = schema, depth = 0): SchemaField {
  const plain = isObject(schema) ? resolved(schema, root) : undefined;
  if (plain === undefined || depth > maxDepth) return { kind: 'json', isNullable: false, limits: [] };
  const types = list(plain['type']) ?? (plain['type'] === undefined ? [] : [plain['type']]);
  const info: FieldInfo = {
    ...text('title', plain),
    ...text('description', plain),
    ...(plain['default'] === undefined ? {} : { default: plain['default'] }),
    isNullable: types.includes('null'),
    limits: limitsOf(plain),
  };
  const choices = list(plain['enum']) ?? (plain['const'] === undefined ? undefined : [plain['const']]);
  if (choices !== undefined)
    return {
      ...info,
      kind: 'choice',
      choices: choices.filter((each) => each !== null),
      isNullable: choices.includes(null),
    };
  const several = list(plain['anyOf']) ?? list(plain['oneOf']);
  if (several !== undefined) return readVariants(several, plain, info, root, depth);
  const [type, ...others] = types.filter((each) => each !== 'null');
  if (others.length > 0) return { ...info, kind: 'json' };
  switch (type ?? (isObject(plain['properties']) ? 'object' : 'unknown')) {
    case 'string':
      return { ...info, kind: 'text' };
    case 'number':
      return { ...info, kind: 'number' };
    case 'integer':
      return { ...info, kind: 'integer' };
    case 'boolean':
      return { ...info, kind: 'boolean' };
    case 'array':
      return isObject(plain['items'])
        ? { ...info, kind: 'list', item: parseSchemaField(plain['items'], root, depth + 1) }
        : { ...info, kind: 'json' };
    case 'object':
      return readObject(plain, info, root, depth);
    default:
      return { ...info, kind: 'json' };
  }
}

function readObject(schema: Schema, info: FieldInfo, root: JsonSchema, depth: number): SchemaField {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = list(schema['required']) ?? [];
  // Arbitrary property names need JSON input.
  if (properties.length === 0 && (depth > 0 || schema['additionalProperties'] !== undefined)) {
    if (schema['additionalProperties'] !== false) return { ...info, kind: 'json' };
  }
  const fields = properties.slice(0, maxFields).map(([name, each]) => ({
    name,
    isRequired: required.includes(name),
    field: parseSchemaField(each as JsonSchema, root, depth + 1),
  }));
  return { ...info, kind: 'object', fields: fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)) };
}

function readVariants(
  all: readonly unknown[],
  outer: Schema,
  info: FieldInfo,
  root: JsonSchema,
  depth: number,
): SchemaField {
  const { anyOf: _any, oneOf: _one, ...rest } = outer;
  const some = all.filter((each) => !(isObject(each) && each['type'] === 'null'));
  const isNullable = some.length < all.length || info.isNullable;
  const [only] = some;
  if (some.length === 1) {
    const field = parseSchemaField(isObject(only) ? { ...only, ...rest } : true, root, depth + 1);
    return { ...field, isNullable: isNullable || field.isNullable };
  }
  const variants = some.slice(0, maxFields).map((each) => parseSchemaField(each as JsonSchema, root, depth + 1));
  const choices = variants.flatMap((each) => (each.kind === 'choice' ? each.choices : []));
  if (variants.every(({ kind }) => kind === 'choice')) return { ...info, isNullable, kind: 'choice', choices };
  return { ...info, isNullable, kind: 'variants', variants };
}

/** Resolves local references and inlines an `allOf` with one member. */
function resolved(schema: Schema, root: JsonSchema): Schema | undefined {
  let now = schema;
  for (let step = 0; step < maxDepth; step += 1) {
    const { $ref, allOf, ...rest } = now;
    const [only, second] = list(allOf) ?? [];
    if (typeof $ref === 'string') {
      const target = at(root, $ref);
      if (!isObject(target)) return undefined;
      now = { ...target, ...rest };
    } else if (isObject(only) && second === undefined) now = { ...only, ...rest };
    else return allOf === undefined ? now : undefined;
  }
  return undefined;
}

function at(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#')) return undefined;
  let value: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

const limitWords: readonly (readonly [string, (value: string) => string])[] = [
  ['format', (value) => value],
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `more than ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['exclusiveMaximum', (value) => `less than ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => `at least ${value} long`],
  ['maxLength', (value) => `at most ${value} long`],
  ['minItems', (value) => `at least ${value} items`],
  ['maxItems', (value) => `at most ${value} items`],
  ['pattern', (value) => `like /${value}/`],
];

function limitsOf(schema: Schema): string[] {
  return limitWords.flatMap(([name, words]) => {
    const value = schema[name];
    return typeof value === 'string' || typeof value === 'number' ? [words(String(value))] : [];
  });
}

/** `list of integer or null`. */
export function describeType(field: SchemaField): string {
  const nullable = field.isNullable ? ' or null' : '';
  switch (field.kind) {
    case 'text':
      return `string${nullable}`;
    case 'list':
      return `list of ${describeType(field.item)}${nullable}`;
    case 'variants':
      return field.variants.map(describeType).join(' or ') + nullable;
    case 'choice':
      return `${field.choices.length === 1 ? 'always' : 'one of'} ${shownChoices(field.choices)}${nullable}`;
    case 'json':
      return 'any JSON';
    case 'number':
    case 'integer':
    case 'boolean':
    case 'object':
      return field.kind + nullable;
  }
}

const maxChoices = 12;

function shownChoices(choices: readonly unknown[]): string {
  const more = choices.length > maxChoices ? `, … ${choices.length - maxChoices} more` : '';
  return choices.slice(0, maxChoices).map(formatChoice).join(', ') + more;
}

export function formatChoice(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** Returns the initial value: required parts with a default or a single choice. */
export function initialValue(field: SchemaField): unknown {
  if (field.default !== undefined) return field.default;
  if (field.kind === 'choice' && field.choices.length === 1) return field.choices[0];
  if (field.kind !== 'object') return undefined;
  const known = field.fields
    .filter(({ isRequired }) => isRequired)
    .map(({ name, field: each }) => [name, initialValue(each)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(known);
}

/** Returns the value of a new list item. */
export function emptyValue(field: SchemaField): unknown {
  const known = initialValue(field);
  if (known !== undefined) return known;
  switch (field.kind) {
    case 'text':
      return '';
    case 'number':
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return field.choices[0];
    case 'list':
      return [];
    case 'variants':
      return field.variants[0] === undefined ? null : emptyValue(field.variants[0]);
    case 'object':
    case 'json':
      return null;
  }
}

/** Checks whether a value has the type of a field; enough to pick a variant. */
export function matchesField(field: SchemaField, value: unknown): boolean {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return field.choices.some((each) => JSON.stringify(each) === JSON.stringify(value));
    case 'list':
      return Array.isArray(value);
    case 'object':
      return (
        isObject(value) &&
        field.fields.every(({ name, field: each }) => each.kind !== 'choice' || matchesField(each, value[name]))
      );
    case 'variants':
      return field.variants.some((each) => matchesField(each, value));
    case 'json':
      return true;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? (value as readonly unknown[]) : undefined;
}

function text(name: 'title' | 'description', schema: Schema): { readonly [name: string]: string } {
  const value = schema[name];
  return typeof value === 'string' && value !== '' ? { [name]: value } : {};
}
