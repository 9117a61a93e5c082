import { readApiDocument } from '../../console/openapi-document.ts';
import { cell } from './markdown.ts';

interface ApiSchema {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: ApiSchema;
  readonly description?: string;
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: ApiSchema }>> };
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: ApiSchema }>> }>
  >;
}

interface Document {
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, ApiSchema>> };
}

/** Tags of routes for browsers, which are not part of the API. */
const omittedTags = new Set(['Pages', 'Documentation']);

/** Returns the reference page of the HTTP API, from the OpenAPI document of a server. */
export async function routesPage(): Promise<string> {
  const document = (await readApiDocument()) as unknown as Document;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return [
    '# HTTP routes\n',
    'This page lists every operation of the HTTP API. A running server documents the operations at `/docs`, and with all schemas at `/openapi.json`. Errors are problem documents (RFC 9457) with a stable [code](../troubleshooting.md). See [access](access.md) for the roles, and [HTTP](http.md) and [sessions](sessions.md) for the use of the operations.\n',
    ...(document.tags ?? [])
      .filter(({ name }) => !omittedTags.has(name))
      .flatMap(({ name }) => [
        `## ${name}\n`,
        ...operations
          .filter(({ operation }) => operation.tags?.includes(name) === true)
          .map(({ path, method, operation }) => sectionOf(`${method.toUpperCase()} ${path}`, operation, document)),
      ]),
  ].join('\n');
}

function sectionOf(title: string, operation: Operation, document: Document): string {
  const roles = operation['x-roles'];
  const fields = [...parametersOf(operation), ...bodyOf(operation, document)];
  const answers = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'));
  return [
    `### \`${title}\`\n`,
    `${operation.summary ?? ''}. ${operation.description ?? ''}\n`.replace('. \n', '.\n'),
    `Roles: ${roles === undefined ? 'none, no token needed' : roles.map((role) => `\`${role}\``).join(', ')}. Returns: ${answers.map(([status, { content }]) => `${status}${formOf(content)}`).join(', ')}.\n`,
    ...(fields.length === 0 ? [] : [`| name | location | meaning |\n|---|---|---|\n${fields.join('\n')}\n`]),
  ].join('\n');
}

function formOf(content: Readonly<Record<string, unknown>> = {}): string {
  const types = Object.keys(content).map((type) => (type === 'application/json' ? 'JSON' : `\`${type}\``));
  return types.length === 0 ? '' : ` (${types.join(' or ')})`;
}

function parametersOf({ parameters = [] }: Operation): string[] {
  return parameters
    .filter((parameter) => parameter.in !== 'path')
    .map(({ name, in: place, required, schema = {}, description = schema.description ?? '' }) =>
      row(name, `${place}${required === true ? ', required' : ''}`, description, schema),
    );
}

function bodyOf({ requestBody }: Operation, document: Document): string[] {
  const schema = resolved(requestBody?.content?.['application/json']?.schema ?? {}, document);
  return Object.entries(schema.properties ?? {}).map(([name, part]) =>
    row(
      name,
      `body${schema.required?.includes(name) === true ? ', required' : ''}`,
      part.description ?? resolved(part, document).description ?? '',
      resolved(part, document),
    ),
  );
}

function row(name: string, place: string, description: string, schema: ApiSchema): string {
  const choices = schema.enum === undefined ? '' : schema.enum.map((value) => `\`${String(value)}\``).join(' · ');
  return `| \`${name}\` | ${place} | ${cell([description, choices].filter((text) => text !== '').join(' '))} |`;
}

function resolved(schema: ApiSchema, document: Document): ApiSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
}
