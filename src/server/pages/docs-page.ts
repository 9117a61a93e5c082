import { html } from 'hono/html';
import { problemType } from '../problems/problem.ts';
import type { ServerApp } from '../http/server-context.ts';
import { type Html, sitePage } from './page-layout.ts';

/** An OpenAPI document. */
export type OpenApiDocument = ReturnType<ServerApp['getOpenAPI31Document']>;

/** The displayed parts of an OpenAPI operation. */
interface ShownOperation {
  readonly method: string;
  readonly path: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly 'x-roles'?: readonly string[];
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: { description?: string };
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, { readonly description?: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: unknown }>>;

/** Renders the API documentation from the OpenAPI document, without external resources. */
export function docsPage(document: OpenApiDocument): Html {
  const operations = operationsOf(document);
  const schemas = Object.entries(document.components?.schemas ?? {});
  const body = html`
    <h1>${document.info.title} ${document.info.version}</h1>
    <p>${prose(document.info.description ?? '')}</p>
    ${(document.tags ?? []).map(({ name }) => group(name, operations))}
    <h2 id="shapes">Schemas</h2>
    ${schemas.map(
      ([name, schema]) =>
        html`<details class="card" id="shape-${name}">
          <summary>${name}</summary>
          <pre>${schemaText(schema)}</pre>
        </details>`,
    )}
  `;
  return sitePage('API · Signalbox', body);
}

function operationsOf(document: OpenApiDocument): ShownOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, object>).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

function group(tag: string, operations: readonly ShownOperation[]): Html {
  const own = operations.filter((operation) => operation.tags?.includes(tag));
  if (own.length === 0) return html``;
  return html`<h2>${tag}</h2>
    ${own.map(operationCard)}`;
}

function operationCard({
  method,
  path,
  summary,
  description,
  'x-roles': roles,
  parameters,
  requestBody,
  responses,
}: ShownOperation): Html {
  return html`<section class="card">
    <div class="title">
      <h3><span class="method">${method}</span> <code>${path}</code></h3>
      <span class="faint">${summary ?? ''}</span>
    </div>
    ${description === undefined ? '' : html`<p>${prose(description)}</p>`}
    ${roles === undefined ? '' : html`<p class="faint">For ${roles.join(', ')}</p>`}
    ${parameters === undefined || parameters.length === 0 ? '' : parameterTable(parameters)}
    ${
      requestBody === undefined
        ? ''
        : html`<p class="faint">Body</p>
            ${contentOf(requestBody.content)}`
    }
    <details>
      <summary class="faint">Responses: ${Object.keys(responses ?? {}).join(', ')}</summary>
      <table>
        ${Object.entries(responses ?? {}).map(
          ([status, response]) =>
            html`<tr>
              <th scope="row">${status}</th>
              <td>${prose(response.description ?? '')}${contentOf(response.content)}</td>
            </tr>`,
        )}
      </table>
    </details>
  </section>`;
}

function parameterTable(parameters: NonNullable<ShownOperation['parameters']>): Html {
  return html`<table>
    ${parameters.map(
      ({ name, in: place, required, description, schema }) =>
        html`<tr>
          <th scope="row"><code>${name}</code></th>
          <td>
            ${place}${required === true ? ', required' : ''}:
            <code>${schemaText(schema)}</code> ${prose(description ?? schema?.description ?? '')}
          </td>
        </tr>`,
    )}
  </table>`;
}

/** Renders the content of a body. The problem schema is omitted, because every operation has it. */
function contentOf(content: Content = {}): Html {
  const shown = Object.entries(content).filter(([type]) => type !== problemType);
  return html`${shown.map(([type, { schema }]) => html`<pre>${type}: ${schemaText(schema)}</pre>`)}`;
}

/** Renders text with code in backticks. */
function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

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
