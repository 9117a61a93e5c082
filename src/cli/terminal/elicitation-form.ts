import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { Elicitation, ElicitationAnswer, QuestionOptions } from '../../core/calls/call-client.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { oneLine, printable } from './escape.ts';
import { question, askYesOrNo } from './question.ts';
import type { Terminal } from './terminal.ts';

/** One field of a form that a tool wants filled in. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** What it is without an answer. */
  readonly usual: JsonValue | undefined;
  /** How the values may be called, where there are only some. */
  readonly choices: readonly Choice[];
  /** What kind of answer is wanted, in a word or two. */
  readonly kind: string;
  /** The value that was typed, or what is wrong with it. */
  read(text: string): { readonly value: JsonValue } | { readonly problem: string };
}

interface Choice {
  readonly value: JsonValue;
  readonly label: string;
}

/** The fields of a form, in the order of its schema. */
export function fieldsOf(schema: JsonObject): FormField[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required: readonly JsonValue[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, given]) =>
    fieldOf(name, isJsonObject(given) ? given : {}, required.includes(name)),
  );
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean): FormField {
  const isMany = schema['type'] === 'array';
  const choices = choicesOf(isMany && isJsonObject(schema['items']) ? schema['items'] : schema);
  const compiled = new SchemaCompiler().compile(schema);
  const read: FormField['read'] = (text) => {
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
    usual: schema['default'],
    choices,
    kind: isMany ? 'several, with commas' : kindOf(schema),
    read,
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

/** A choice by its value, its label or its place. */
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

/** Asks the human at the terminal what a tool wants to know: field by field, or to visit a page. Ctrl-D cancels. */
export function createElicitationPrompt(
  terminal: Terminal,
  onInterrupt: () => void,
): (request: Elicitation, asking: QuestionOptions) => Promise<ElicitationAnswer> {
  const { errors } = terminal;
  return async (request, { signal }) => {
    const ask = (text: string): Promise<string | undefined> => question(terminal, text, { signal, onInterrupt });
    const { colors } = errors;
    await errors.print(`${colors.bold(colors.yellow('the tool asks'))} ${printable(request.message)}\n`);
    if (request.mode === 'url') {
      await errors.print(`  ${oneLine(request.url)}\n  on ${colors.bold(new URL(request.url).host)}\n`);
      const hasOpened = await askYesOrNo(terminal, 'Have you opened it?', { signal, onInterrupt });
      return { action: hasOpened === undefined ? 'cancel' : hasOpened ? 'accept' : 'decline' };
    }
    const fields = fieldsOf(request.requestedSchema);
    const names = fields.map(({ label }) => oneLine(label)).join(', ');
    if (names !== '') await errors.print(`  asks for: ${names}\n`);
    const isWilling = await askYesOrNo(terminal, 'Answer now, field by field?', { signal, onInterrupt });
    if (isWilling !== true) return { action: isWilling === undefined ? 'cancel' : 'decline' };
    const content: Record<string, JsonValue> = {};
    for (const field of fields) {
      const given = await fill(field, terminal, ask);
      if (given === undefined) return { action: 'cancel' };
      if (given.value !== undefined) content[field.name] = given.value;
    }
    return { action: 'accept', content };
  };
}

/** What the human typed, until it fits; without a value when the field stays empty; `undefined` when the input ended. */
async function fill(
  field: FormField,
  { errors }: Terminal,
  ask: (text: string) => Promise<string | undefined>,
): Promise<{ readonly value?: JsonValue } | undefined> {
  const { colors } = errors;
  const { label, description, choices, isRequired, usual } = field;
  if (description !== undefined) await errors.print(`  ${colors.dim(printable(description))}\n`);
  for (const [index, choice] of choices.entries()) await errors.print(`  ${index + 1}. ${oneLine(choice.label)}\n`);
  const preset = usual === undefined ? (isRequired ? '' : ', may stay empty') : `, default ${JSON.stringify(usual)}`;
  for (;;) {
    const text = await ask(`  ${oneLine(label)} (${oneLine(field.kind)}${oneLine(preset)}): `);
    if (text === undefined) return undefined;
    if (text === '' && usual !== undefined) return { value: usual };
    if (text === '' && !isRequired) return {};
    const read = field.read(text);
    if ('value' in read) return read;
    await errors.print(`  ${colors.red(oneLine(read.problem))}\n`);
  }
}
