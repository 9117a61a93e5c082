import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { adminToken, bodyOf, startTestServer } from '../support/http/http-server.ts';
import type { ProblemDocument } from '../../src/server/problems/problem.ts';

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>;
}

const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
const half = 2 * 1024 * 1024;

describe('hostile request bodies', () => {
  const bodies: Readonly<Record<string, string>> = {
    'millions of nested lists': `{"arguments":${'['.repeat(half)}${']'.repeat(half)}}`,
    '100,000 nested objects': `{"arguments":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
    'millions of values': `{"arguments":{"text":[${'1,'.repeat(half)}1]}}`,
    'millions of empty lists': `{"arguments":{"text":[${'[],'.repeat(half / 2)}1]}}`,
    'hundreds of thousands of keys': `{"arguments":{${Array.from({ length: 400_000 }, (_, at) => `"${at}":1`).join()}}}`,
    'the same key twice': '{"arguments":{"text":"harmless"},"arguments":{"text":"harm"}}',
    'the same key twice, once escaped': '{"arguments":{"text":"harmless","\\u0074ext":"harm"}}',
  };
  for (const [name, body] of Object.entries(bodies))
    test(`${name}: the HTTP API rejects the body, and nothing is called`, async (t) => {
      const { call, box, logged } = await startTestServer(t);
      const response = await call('echo', undefined, { body });
      const problem = await bodyOf<ProblemDocument>(response);
      assert.deepEqual([response.status, problem.code], [400, 'body-malformed']);
      assert.match(problem.detail, /nested deeper than 256|more than 50000 values|more than 20000 keys|same key twice/);
      assert.equal((await box.journal.calls()).items.length, 0);
      assert.deepEqual(logged, []);
    });

  test('every route that takes a body enforces these limits', async (t) => {
    const { server, get } = await startTestServer(t);
    const { paths } = await bodyOf<OpenApiDocument>(get('/openapi.json'));
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { requestBody }]) =>
        requestBody === undefined ? [] : [{ method: method.toUpperCase(), path: path.replaceAll(/\{[^}]+\}/g, 'x') }],
      ),
    );
    assert.ok(routes.length > 10, 'the document lists the routes');
    for (const { method, path } of routes) {
      const response = await fetch(server.url + path, { method, headers, body: '{"a":1,"a":2}' });
      const { detail } = await bodyOf<ProblemDocument>(response);
      assert.deepEqual(
        [response.status, detail],
        [400, 'the body: an object has the same key twice'],
        `${method} ${path}`,
      );
    }
  });

  test('the MCP endpoint answers a body that is not UTF-8 with the JSON-RPC error for malformed text', async (t) => {
    const { server } = await startTestServer(t);
    const message = Buffer.from(
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\u0000"}}'.replace('\u0000', '?'),
    );
    message[message.indexOf('?')] = 0xff;
    for (const path of ['/mcp', '/mcp/']) {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { ...headers, accept: 'application/json, text/event-stream' },
        body: message,
      });
      const answer = await bodyOf<{ readonly id: unknown; readonly error: { readonly code: number } }>(response);
      assert.deepEqual([response.status, answer.id, answer.error.code], [400, null, -32_700]);
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    }
  });
});
