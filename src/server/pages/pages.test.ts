import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestServer } from '../../../test/support/http/http-server.ts';
import { schemaText } from './docs-page.ts';

const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)>&`;

describe('pages', () => {
  it('have a content security policy that allows only files of this server', async (test) => {
    const { get } = await startTestServer(test);
    for (const path of ['/', '/docs', '/api/tools', '/nowhere', '/api/health']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
      assert.match(policy, /base-uri 'none'; form-action 'self'; frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    assert.doesNotMatch(await (await get('/docs')).text(), / style=| on\w+=|javascript:/);
  });

  it('load their stylesheet from a file of this server', async (test) => {
    const { get } = await startTestServer(test);
    assert.equal((await get('/assets/page.css')).headers.get('content-type'), 'text/css; charset=utf-8');
  });

  it('explain why the console is missing, with the reason escaped', async (test) => {
    const { get } = await startTestServer(test, { findConsole: () => Promise.reject(new Error(hostile)) });
    const response = await get('/');
    assert.equal(response.status, 503);
    const page = await response.text();
    assert.doesNotMatch(page, /<img|<script/);
    assert.ok(page.includes('&lt;img src=x onerror=alert(1)&gt;&amp;'));
  });
});

describe('schemaText', () => {
  it('formats schemas as TypeScript types', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Tool' }] } },
        b: { enum: [1, 'x'], description: 'One of.' },
      },
    };
    assert.equal(schemaText(schema), '{\n  a: (string | Tool)[]\n  b?: 1 | "x"  // One of.\n}');
    assert.equal(schemaText({}), 'any JSON');
  });
});
