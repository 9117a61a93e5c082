/** The displayed parts of an OpenAPI schema. */
interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly items?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly description?: string;
  readonly default?: unknown;
}

/** Formats a schema like a TypeScript type, which is shorter than JSON Schema. */
export function schemaText(schema: unknown, indent = ''): string {
  if (typeof schema !== 'object' || schema === null) return 'any JSON';
  const shown = schema as ShownSchema;
  if (shown.$ref !== undefined) return shown.$ref.replace('#/components/schemas/', '');
  if (shown.enum !== undefined) return shown.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (shown.const !== undefined) return JSON.stringify(shown.const);
  const alternatives = shown.oneOf ?? shown.anyOf;
  if (alternatives !== undefined) return alternatives.map((each) => schemaText(each, indent)).join(' | ');
  if (shown.properties !== undefined) return objectText(shown.properties, shown.required ?? [], indent);
  if (shown.type === 'array') return `${bracketed(schemaText(shown.items, indent))}[]`;
  if (shown.type === 'object') return 'object';
  const types = shown.type === undefined ? ['any JSON'] : [shown.type].flat();
  return types.join(' | ') + (shown.format === undefined ? '' : ` (${shown.format})`);
}

function objectText(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
  indent: string,
): string {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, schema]) => {
    const { description, default: defaultValue } = schema as ShownSchema;
    const notes = [
      description,
      defaultValue === undefined ? undefined : `default ${JSON.stringify(defaultValue)}`,
    ].filter((note) => note !== undefined);
    const comment = notes.length === 0 ? '' : `  // ${notes.join('; ')}`;
    return `${inner}${name}${required.includes(name) ? '' : '?'}: ${schemaText(schema, inner)}${comment}`;
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function bracketed(type: string): string {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
}
