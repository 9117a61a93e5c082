import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { Elicitation, ElicitationAnswer, QuestionOptions } from '../../core/calls/call-client.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { oneLine, printable } from './escape.ts';
import { askLine, askYesOrNo } from './question.ts';
import type { Terminal } from './terminal.ts';

/** A field of an elicitation form. */
interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** The value when the answer is empty. */
  readonly defaultValue: JsonValue | undefined;
  /** The allowed values; empty when any value is allowed. */
  readonly choices: readonly Choice[];
  /** A short description of the expected input. */
  readonly kind: string;
  /** Parses and validates an answer. */
  parse(text: string): { readonly value: JsonValue } | { readonly problem: string };
}

interface Choice {
  readonly value: JsonValue;
  readonly label: string;
}

/** Returns the fields of a form in the order of its schema. */
function toFields(schema: JsonObject): FormField[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly JsonValue[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, property]) =>
    toField(name, isJsonObject(property) ? property : {}, required.includes(name)),
  );
}

function toField(name: string, schema: JsonObject, isRequired: boolean): FormField {
  const isMany = schema['type'] === 'array';
  const choices = choicesOf(isMany && isJsonObject(schema['items']) ? schema['items'] : schema);
  const compiled = new SchemaCompiler().compile(schema);
  const parse: FormField['parse'] = (text) => {
    const value = isMany
      ? text.split(',').map((each) => findChoice(each.trim(), choices) ?? each.trim())
      : (findChoice(text.trim(), choices) ?? valueOf(text, schema['type']));
    const [problem] = (compiled.ok ? compiled.validate(value) : undefined) ?? [];
    return problem === undefined ? { value } : { problem: problem.message };
  };
  return {
    name,
    label: typeof schema['title'] === 'string' ? schema['title'] : name,
    description: typeof schema['description'] === 'string' ? schema['description'] : undefined,
    isRequired,
    defaultValue: schema['default'],
    choices,
    kind: isMany ? 'several, separated by commas' : kindOf(schema),
    parse,
  };
}

function choicesOf(schema: JsonObject): Choice[] {
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values))
    return (values as readonly JsonValue[]).map((value, index) => {
      const name = Array.isArray(names) ? (names as readonly JsonValue[])[index] : undefined;
      return { value, label: typeof name === 'string' ? name : shown(value) };
    });
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(titled)) return [];
  return (titled as readonly JsonValue[])
    .filter(isJsonObject)
    .flatMap(({ const: value, title }) =>
      value === undefined ? [] : [{ value, label: typeof title === 'string' ? title : shown(value) }],
    );
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Finds a choice by its value, its label or its number. */
function findChoice(text: string, choices: readonly Choice[]): JsonValue | undefined {
  const same = (a: string): boolean => a.toLowerCase() === text.toLowerCase();
  const found = choices.find(({ value, label }) => same(shown(value)) || same(label));
  return (found ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value;
}

function valueOf(text: string, type: JsonValue | undefined): JsonValue {
  if (type === 'boolean') {
    if (/^\s*(y(es)?|true)\s*$/i.test(text)) return true;
    return /^\s*(no?|false)\s*$/i.test(text) ? false : text;
  }
  if (type !== 'number' && type !== 'integer') return text;
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? number : text;
}

function kindOf({ type, format }: JsonObject): string {
  if (type === 'boolean') return 'y/n';
  return typeof format === 'string' ? format : type === 'string' || typeof type !== 'string' ? 'text' : type;
}

/** Creates a callback that asks the user to fill in a form, field by field, or to open a page. Ctrl-D cancels. */
export function createElicitationPrompt(
  terminal: Terminal,
  onInterrupt: () => void,
): (request: Elicitation, asking: QuestionOptions) => Promise<ElicitationAnswer> {
  const { errors } = terminal;
  return async (request, { signal }) => {
    const ask = (text: string): Promise<string | undefined> => askLine(terminal, text, { signal, onInterrupt });
    const { colors } = errors;
    await errors.print(`${colors.bold(colors.yellow('the tool asks'))} ${printable(request.message)}\n`);
    if (request.mode === 'url') {
      await errors.print(`  ${oneLine(request.url)}\n  on ${colors.bold(new URL(request.url).host)}\n`);
      const hasOpened = await askYesOrNo(terminal, 'Have you opened it?', { signal, onInterrupt });
      return { action: hasOpened === undefined ? 'cancel' : hasOpened ? 'accept' : 'decline' };
    }
    const fields = toFields(request.requestedSchema);
    const names = fields.map(({ label }) => oneLine(label)).join(', ');
    if (names !== '') await errors.print(`  asks for: ${names}\n`);
    const isWilling = await askYesOrNo(terminal, 'Answer now, field by field?', { signal, onInterrupt });
    if (isWilling !== true) return { action: isWilling === undefined ? 'cancel' : 'decline' };
    const content: Record<string, JsonValue> = {};
    for (const field of fields) {
      const filled = await fill(field, terminal, ask);
      if (filled === undefined) return { action: 'cancel' };
      if (filled.value !== undefined) content[field.name] = filled.value;
    }
    return { action: 'accept', content };
  };
}

/** Asks for a field until the answer is valid. Resolves without a value when the field stays empty, with `undefined` when the input ends. */
async function fill(
  field: FormField,
  { errors }: Terminal,
  ask: (text: string) => Promise<string | undefined>,
): Promise<{ readonly value?: JsonValue } | undefined> {
  const { colors } = errors;
  const { label, description, choices, isRequired, defaultValue } = field;
  if (description !== undefined) await errors.print(`  ${colors.dim(printable(description))}\n`);
  for (const [index, choice] of choices.entries()) await errors.print(`  ${index + 1}. ${oneLine(choice.label)}\n`);
  const hint =
    defaultValue === undefined ? (isRequired ? '' : ', optional') : `, default ${JSON.stringify(defaultValue)}`;
  for (;;) {
    const text = await ask(`  ${oneLine(label)} (${oneLine(field.kind)}${oneLine(hint)}): `);
    if (text === undefined) return undefined;
    if (text === '' && defaultValue !== undefined) return { value: defaultValue };
    if (text === '' && !isRequired) return {};
    const parsed = field.parse(text);
    if ('value' in parsed) return parsed;
    await errors.print(`  ${colors.red(oneLine(parsed.problem))}\n`);
  }
}
