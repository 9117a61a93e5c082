/** A JSON Schema, as far as our own API document uses it. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ApiSchema[];
  readonly oneOf?: readonly ApiSchema[];
  readonly allOf?: readonly ApiSchema[];
  readonly items?: ApiSchema;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ApiSchema;
  readonly description?: string;
}

type Content = Readonly<Record<string, { readonly schema?: ApiSchema }>>;

interface ApiOperation {
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema?: ApiSchema }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

/** An OpenAPI document, as far as the console's types need to know it. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, ApiSchema>> };
}

/** Writes the API down as TypeScript: a type for each schema, and what each operation takes, answers, and of whom. */
export function apiTypes({ paths, components }: ApiDocument): string {
  const schemas = Object.entries(components?.schemas ?? {}).toSorted(([one], [other]) => one.localeCompare(other));
  const operations = Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
    )
    .filter(([name]) => name.includes(' /api/'))
    .toSorted(([one], [other]) => one.localeCompare(other));
  return [
    '// Made by `npm run console:types` from the OpenAPI document of the server. Do not edit.\n',
    ...schemas.map(([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};\n`),
    '/** What each operation takes and answers. */',
    'export interface Operations {',
    ...operations.map(([name, operation]) => `  ${JSON.stringify(name)}: ${operationType(operation)};`),
    '}\n',
    '/** Which roles an operation takes, where it asks who somebody is. */',
    'export const rolesOf: Readonly<Partial<Record<keyof Operations, readonly Role[]>>> = {',
    ...operations.flatMap(([name, { 'x-roles': roles }]) =>
      roles === undefined ? [] : [`  ${JSON.stringify(name)}: ${JSON.stringify(roles)},`],
    ),
    '};\n',
  ].join('\n');
}

function operationType({ parameters = [], requestBody, responses = {} }: ApiOperation): string {
  const place = (where: string): string =>
    objectOf(
      parameters
        .filter((parameter) => parameter.in === where)
        .map(({ name, required, schema }) => member(name, typeOf(schema ?? {}), required === true)),
    );
  const body = requestBody?.content?.['application/json']?.schema;
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => content?.['application/json']?.schema)
    .map((schema) => (schema === undefined ? 'undefined' : typeOf(schema)));
  const parts = [
    `path: ${place('path')}`,
    `query: ${place('query')}`,
    `body: ${body === undefined ? 'undefined' : typeOf(body)}`,
    `answer: ${union(answers)}`,
  ];
  return `{ ${parts.join('; ')} }`;
}

function typeOf(schema: ApiSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return union(several.map(typeOf));
  if (schema.allOf !== undefined)
    return (
      schema.allOf
        .map(typeOf)
        .filter((type) => type !== 'unknown')
        .join(' & ') || 'unknown'
    );
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any']);
  return union(types.map((type) => simpleType(type, schema)));
}

function simpleType(type: string, schema: ApiSchema): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'unknown';
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: ApiSchema): string {
  const members = Object.entries(properties).map(
    ([name, schema]) => comment(schema) + member(name, typeOf(schema), required.includes(name)),
  );
  if (members.length > 0) return objectOf(members);
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
  return `{ readonly [name: string]: ${values} }`;
}

function objectOf(members: readonly string[]): string {
  return members.length === 0 ? '{}' : `{ ${members.join('; ')} }`;
}

/** Left out or undefined: the client leaves out what is undefined. */
function member(name: string, type: string, isRequired: boolean): string {
  const written = /^\w+$/.test(name) ? name : JSON.stringify(name);
  return isRequired ? `readonly ${written}: ${type}` : `readonly ${written}?: ${union([type, 'undefined'])}`;
}

function union(types: readonly string[]): string {
  // Together with anything, what can be anything is still just that.
  return types.includes('unknown') ? 'unknown' : [...new Set(types)].join(' | ') || 'undefined';
}

function comment({ description }: ApiSchema): string {
  return description === undefined ? '' : `\n/** ${description.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`;
}
