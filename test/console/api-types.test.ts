import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { type ApiDocument, apiTypes } from './api-types.ts';
import { apiTypesFile, formatted } from './api-types-file.ts';
import { readApiDocument } from './openapi-document.ts';

describe('the console knows the API', () => {
  it('as the server describes it now (npm run console:types)', async () => {
    const made = await formatted(apiTypes(await readApiDocument()));
    assert.equal(readFileSync(apiTypesFile, 'utf8'), made, 'the API has changed: run npm run console:types');
  });

  it('with every kind of schema written down as a type', async () => {
    const document: ApiDocument = {
      components: {
        schemas: {
          Thing: {
            type: 'object',
            description: 'A */ thing.',
            required: ['a'],
            properties: {
              a: { type: ['integer', 'null'] },
              'b-c': { type: 'array', items: { anyOf: [{ const: 'x' }, { $ref: '#/components/schemas/Other' }] } },
            },
          },
          Other: { allOf: [{ enum: ['y', 1] }, { description: 'only words' }] },
          Free: { type: 'object', additionalProperties: { type: 'boolean' } },
        },
      },
      paths: {
        '/api/things/{id}': {
          put: {
            'x-roles': ['admin'],
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'limit', in: 'query', schema: { type: 'number' } },
            ],
            requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
            responses: { 200: { content: { 'application/json': { schema: {} } } }, 404: {} },
          },
        },
        '/docs': { get: {} },
      },
    };
    const made = await formatted(apiTypes(document));
    assert.match(made, /export type Free = \{ readonly \[name: string\]: boolean \};/);
    assert.match(made, /export type Other = 'y' \| 1;/);
    assert.match(made, /readonly a: number \| null;/);
    assert.match(made, /readonly 'b-c'\?: readonly \('x' \| Other\)\[\] \| undefined \}/);
    assert.match(made, /\/\*\* A \* \/ thing\. \*\//);
    assert.match(made, /path: \{ readonly id: string \};\s+query: \{ readonly limit\?: number \| undefined \};/);
    assert.match(made, /body: Thing;\s+answer: unknown/);
    assert.match(made, /= \{\s+'PUT \/api\/things\/\{id\}': \['admin'\],\s+\};/);
    assert.doesNotMatch(made, /docs/);
  });
});
