import { html } from 'hono/html';
import { problemType } from '../problems/problem.ts';
import type { OpenApiDocument } from '../routes/pages/openapi-routes.ts';
import { type Html, layout, linkedStyle, pageLinks } from './page-layout.ts';
import { schemaText } from './schema-text.ts';

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
  return layout({ title: 'API · Signalbox', body, head: linkedStyle, navigation: pageLinks });
}

function operationsOf(document: OpenApiDocument): ShownOperation[] {
  const operations: ShownOperation[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item as Record<string, object>)) {
      operations.push({ ...operation, method: method.toUpperCase(), path });
    }
  }
  return operations;
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
