import { isObject } from '../../tools/schema-field.ts';

/** A field of an elicitation form. A field of any other than MCP's primitive types is entered as JSON. */
export interface ElicitationField {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly isRequired: boolean;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'choices' | 'json';
  /** The options of a choice, with their labels. */
  readonly options: readonly FieldOption[];
  /** `email`, `uri`, `date` or `date-time`. */
  readonly format?: string;
  readonly default?: unknown;
}

interface FieldOption {
  readonly value: string;
  readonly label: string;
}

type Schema = Readonly<Record<string, unknown>>;

/** Returns the fields of a requested schema, in its order. */
export function elicitationFields(schema: Schema): ElicitationField[] {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = listOf(schema['required']);
  return Object.entries(properties).map(([name, each]) => fieldOf(name, isObject(each) ? each : {}, required));
}

/** Returns the initial content of a form: the defaults, and `false` for an unchecked checkbox. */
export function firstContent(fields: readonly ElicitationField[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields
      .map((field) => [field.name, field.default ?? (field.kind === 'boolean' ? false : undefined)] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** Parses typed text. Returns unparsable text as it is, so that the server can report what it expects. */
export function typedValue({ kind }: ElicitationField, typed: string): unknown {
  if (typed === '') return undefined;
  if (kind === 'number') return Number.isFinite(Number(typed)) ? Number(typed) : typed;
  if (kind !== 'json') return typed;
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}

function fieldOf(name: string, schema: Schema, required: readonly unknown[]): ElicitationField {
  const { type, title, description, format, items } = schema;
  const options = optionsOf(type === 'array' && isObject(items) ? items : schema);
  return {
    name,
    label: typeof title === 'string' && title !== '' ? title : name,
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
    isRequired: required.includes(name),
    kind: kindOf(type, options.length > 0),
    options,
    ...(typeof format === 'string' ? { format } : {}),
    ...(schema['default'] === undefined ? {} : { default: schema['default'] }),
  };
}

function kindOf(type: unknown, hasOptions: boolean): ElicitationField['kind'] {
  if (type === 'array') return hasOptions ? 'choices' : 'json';
  if (hasOptions) return 'choice';
  if (type === 'number' || type === 'integer') return 'number';
  return type === 'boolean' ? 'boolean' : type === 'string' ? 'text' : 'json';
}

/** Reads the options of a choice: `enum` with `enumNames`, or constants with titles. */
function optionsOf(schema: Schema): FieldOption[] {
  const names = listOf(schema['enumNames']);
  const plain = listOf(schema['enum']).flatMap((value, index) => optionOf(value, names[index]));
  if (plain.length > 0) return plain;
  const titled = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])];
  return titled.flatMap((each) => (isObject(each) ? optionOf(each['const'], each['title']) : []));
}

function optionOf(value: unknown, label: unknown): FieldOption[] {
  return typeof value === 'string' ? [{ value, label: typeof label === 'string' ? label : value }] : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
