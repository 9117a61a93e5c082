import type { JsonSchema } from '../../api/schema.ts';

/** What a value may be, as far as a form can ask for it. Whatever is more than that is asked for as JSON. */
export type Field = Told &
  (
    | { readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'json' }
    | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
    | { readonly kind: 'list'; readonly item: Field }
    | { readonly kind: 'object'; readonly fields: readonly NamedField[] }
    | { readonly kind: 'variants'; readonly variants: readonly Field[] }
  );

/** A field of an object. */
export interface NamedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly field: Field;
}

interface Told {
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly isNullable: boolean;
  /** What else is asked of a value: `at least 1`. */
  readonly limits: readonly string[];
}

type Schema = Readonly<Record<string, unknown>>;

// A schema may refer to itself.
const deepest = 6;
const mostFields = 200;

/** Reads what a JSON Schema asks for. It comes from a server, and may be anything. */
export function readField(schema: JsonSchema, root: JsonSchema = schema, depth = 0): Field {
  const plain = isObject(schema) ? resolved(schema, root) : undefined;
  if (plain === undefined || depth > deepest) return { kind: 'json', isNullable: false, limits: [] };
  const types = list(plain['type']) ?? (plain['type'] === undefined ? [] : [plain['type']]);
  const told: Told = {
    ...text('title', plain),
    ...text('description', plain),
    ...(plain['default'] === undefined ? {} : { default: plain['default'] }),
    isNullable: types.includes('null'),
    limits: limitsOf(plain),
  };
  const choices = list(plain['enum']) ?? (plain['const'] === undefined ? undefined : [plain['const']]);
  if (choices !== undefined)
    return {
      ...told,
      kind: 'choice',
      choices: choices.filter((each) => each !== null),
      isNullable: choices.includes(null),
    };
  const several = list(plain['anyOf']) ?? list(plain['oneOf']);
  if (several !== undefined) return readVariants(several, plain, told, root, depth);
  const [type, ...others] = types.filter((each) => each !== 'null');
  if (others.length > 0) return { ...told, kind: 'json' };
  switch (type ?? (isObject(plain['properties']) ? 'object' : 'unknown')) {
    case 'string':
      return { ...told, kind: 'text' };
    case 'number':
      return { ...told, kind: 'number' };
    case 'integer':
      return { ...told, kind: 'integer' };
    case 'boolean':
      return { ...told, kind: 'boolean' };
    case 'array':
      return isObject(plain['items'])
        ? { ...told, kind: 'list', item: readField(plain['items'], root, depth + 1) }
        : { ...told, kind: 'json' };
    case 'object':
      return readObject(plain, told, root, depth);
    default:
      return { ...told, kind: 'json' };
  }
}

function readObject(schema: Schema, told: Told, root: JsonSchema, depth: number): Field {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = list(schema['required']) ?? [];
  // Names that are not known cannot be asked for one by one.
  if (properties.length === 0 && (depth > 0 || schema['additionalProperties'] !== undefined)) {
    if (schema['additionalProperties'] !== false) return { ...told, kind: 'json' };
  }
  const fields = properties.slice(0, mostFields).map(([name, each]) => ({
    name,
    isRequired: required.includes(name),
    field: readField(each as JsonSchema, root, depth + 1),
  }));
  return { ...told, kind: 'object', fields: fields.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)) };
}

function readVariants(all: readonly unknown[], outer: Schema, told: Told, root: JsonSchema, depth: number): Field {
  const { anyOf: _any, oneOf: _one, ...rest } = outer;
  const some = all.filter((each) => !(isObject(each) && each['type'] === 'null'));
  const isNullable = some.length < all.length || told.isNullable;
  const [only] = some;
  if (some.length === 1) {
    const field = readField(isObject(only) ? { ...only, ...rest } : true, root, depth + 1);
    return { ...field, isNullable: isNullable || field.isNullable };
  }
  const variants = some.slice(0, mostFields).map((each) => readField(each as JsonSchema, root, depth + 1));
  const choices = variants.flatMap((each) => (each.kind === 'choice' ? each.choices : []));
  if (variants.every(({ kind }) => kind === 'choice')) return { ...told, isNullable, kind: 'choice', choices };
  return { ...told, isNullable, kind: 'variants', variants };
}

/** Follows references within the schema, and takes in what only stands aside (`allOf` of one). */
function resolved(schema: Schema, root: JsonSchema): Schema | undefined {
  let now = schema;
  for (let step = 0; step < deepest; step += 1) {
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
export function typeWords(field: Field): string {
  const nullable = field.isNullable ? ' or null' : '';
  switch (field.kind) {
    case 'text':
      return `string${nullable}`;
    case 'list':
      return `list of ${typeWords(field.item)}${nullable}`;
    case 'variants':
      return field.variants.map(typeWords).join(' or ') + nullable;
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

const mostChoices = 12;

function shownChoices(choices: readonly unknown[]): string {
  const more = choices.length > mostChoices ? `, … ${choices.length - mostChoices} more` : '';
  return choices.slice(0, mostChoices).map(choiceWords).join(', ') + more;
}

export function choiceWords(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** What a value is at first: what is required and known. */
export function firstValue(field: Field): unknown {
  if (field.default !== undefined) return field.default;
  if (field.kind === 'choice' && field.choices.length === 1) return field.choices[0];
  if (field.kind !== 'object') return undefined;
  const known = field.fields
    .filter(({ isRequired }) => isRequired)
    .map(({ name, field: each }) => [name, firstValue(each)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(known);
}

/** What a new item of a list is. */
export function emptyValue(field: Field): unknown {
  const known = firstValue(field);
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

/** Whether a value is of this kind; good enough to find the variant that is meant. */
export function fits(field: Field, value: unknown): boolean {
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
        field.fields.every(({ name, field: each }) => each.kind !== 'choice' || fits(each, value[name]))
      );
    case 'variants':
      return field.variants.some((each) => fits(each, value));
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
