import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { apiTypes } from '../../console/api-types.ts';
import { apiTypesFile, currentApiTypes } from './current-api-types.ts';

describe('API types of the console', () => {
  it('match the OpenAPI document of the server (npm run console:types)', async () => {
    assert.equal(
      readFileSync(apiTypesFile, 'utf8'),
      await currentApiTypes(),
      'the API has changed: run npm run console:types',
    );
  });

  it('describe successful responses of API routes, optional values that may be undefined, and roles', async () => {
    const thing = { type: 'object', required: ['a'], properties: { a: { type: 'integer' }, b: { type: 'string' } } };
    const types = await apiTypes({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      components: { schemas: { Thing: thing, Failure: { type: 'object' } } },
      paths: {
        '/api/things/{id}': {
          put: {
            'x-roles': ['admin'],
            responses: {
              200: { description: 'Done.', content: { 'application/json': { schema: thing } } },
              404: { description: 'Unknown.', content: { 'application/problem+json': { schema: {} } } },
            },
          },
        },
        '/docs': { get: { responses: {} } },
      },
    });
    assert.match(types, /export type Thing = /);
    assert.match(types, /readonly a: number;\s+readonly b\?: string \| undefined;/);
    assert.match(types, /"PUT \/api\/things\/\{id\}":\["admin"\]/);
    assert.doesNotMatch(types, /problem\+json|\/docs/);
  });
});
