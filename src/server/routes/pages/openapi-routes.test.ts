import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createOpenApiAssertion } from '../../../../test/support/http/openapi-assertion.ts';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import { BrowserSessions } from '../../access/browser/browser-sessions.ts';
import { SignInCodes } from '../../access/browser/sign-in-codes.ts';
import { BearerTokens } from '../../access/tokens/bearer-tokens.ts';
import { Admission } from '../../http/admission.ts';
import { createApp } from '../../app.ts';
import { createPrometheusMetrics } from '../../metrics/prometheus-metrics.ts';

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  readonly summary?: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Record<
    string,
    { readonly description?: string; readonly content?: Record<string, { readonly schema?: unknown }> }
  >;
}

describe('GET /openapi.json', () => {
  it('documents every route of the app with its parameters and responses', async (test) => {
    const { get, box } = await startTestServer(test);
    const document = await bodyOf<Document>(get('/openapi.json'));
    assert.equal(document.openapi, '3.1.0');
    assert.equal(document.info.version, box.version);
    const app = createApp({
      box,
      registry: await createPrometheusMetrics().registry(),
      codes: new SignInCodes(box.shared.keyValues),
      browserSessions: await BrowserSessions.open(box.shared, 'unused-token'),
      role: 'all',
      startedAt: new Date(),
      maxBodyBytes: 1,
      bearers: new BearerTokens({ isAdminToken: () => false, tokens: box.tokens }),
      allowedHosts: () => new Set(),
      url: () => '',
      clients: () => [],
      admission: new Admission(),
      draining: new AbortController().signal,
      stopping: new AbortController().signal,
      ending: new AbortController().signal,
      log: () => undefined,
    });
    const served = new Set(
      app.routes
        .filter(({ method }) => method !== 'ALL')
        .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    const documentedRoutes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    assert.deepEqual(documentedRoutes.toSorted(), [...served].toSorted());
    for (const [path, item] of Object.entries(document.paths)) {
      for (const operation of Object.values(item)) {
        assert.ok(operation.summary, path);
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
        const declared = (operation.parameters ?? [])
          .filter((parameter) => parameter.in === 'path')
          .map(({ name }) => name);
        assert.deepEqual(declared, inPath, path);
        const isOpen = operation.security?.length === 0;
        const statuses = Object.keys(operation.responses);
        assert.ok(
          statuses.some((status) => status.startsWith('2')),
          path,
        );
        for (const status of isOpen ? statuses : [...statuses, '401', '403', '421', '429'])
          assert.ok(operation.responses[status]?.description, `${path} ${status}`);
      }
    }
  });

  it('describes the actual responses completely', async (test) => {
    const { get, call, server, box, signIn, token, send } = await startTestServer(test);
    const assertDocumented = await createOpenApiAssertion(get('/openapi.json'));
    const callPath = '/api/tools/{name}/call';
    const { callId } = await bodyOf(call('long'));
    for (const body of [{ arguments: { text: 'a' } }, { arguments: {} }])
      await assertDocumented('post', callPath, await call('echo', body));
    await assertDocumented('post', callPath, await call('long'));
    await assertDocumented('post', callPath, await call('burn', { waitSeconds: 0 }));
    const [approval] = await box.approvals.list();
    const browser = await signIn();
    const answer = (action: string, body = {}, headers: Record<string, string> = { ...browser, origin: server.url }) =>
      fetch(`${server.url}/api/approvals/${approval?.id}/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const approvePath = '/api/approvals/{id}/approve';
    await assertDocumented('get', '/api/approvals', await get('/api/approvals'));
    const preview = `/api/approvals/${approval?.id}/remember?scope=`;
    await assertDocumented('get', '/api/approvals/{id}/remember', await get(`${preview}arguments`));
    await assertDocumented('get', '/api/approvals/{id}/remember', await get(`${preview}tool`));
    const agent = { authorization: `Bearer ${(await token('agent')).token}` };
    await assertDocumented('post', approvePath, await answer('approve', {}, agent));
    await assertDocumented('post', '/api/approvals/{id}/reveal', await answer('reveal'));
    await assertDocumented('post', approvePath, await answer('approve', { remember: 'arguments' }));
    await assertDocumented('post', '/api/approvals/{id}/deny', await answer('deny'));
    await assertDocumented('post', '/api/approvals/{id}/reveal', await answer('reveal'));
    await assertDocumented('get', '/api/approvals/{id}', await get(`/api/approvals/${approval?.id}`));
    await assertDocumented('get', '/api/approvals/{id}', await get('/api/approvals/none'));
    await assertDocumented('get', '/api/approvals/rules', await get('/api/approvals/rules'));
    const [rule] = await box.approvals.rules();
    await box.approvals.revoke(rule?.id ?? '', { by: { id: 'alice', kind: 'human' } });
    const revoked = await fetch(`${server.url}/api/approvals/rules/${rule?.id}`, {
      method: 'DELETE',
      headers: { ...browser, origin: server.url },
    });
    await assertDocumented('delete', '/api/approvals/rules/{id}', revoked);
    await assertDocumented('post', callPath, await call('echo', { nonsense: true }));
    await assertDocumented(
      'post',
      callPath,
      await call('echo', {}, { headers: { authorization: `Bearer ${adminToken}` } }),
    );
    const created = await send(adminToken, 'POST', '/api/tokens', { role: 'agent', name: 'x', expires: '1h' });
    const { id } = await bodyOf<{ id: string }>(created.clone());
    await assertDocumented('post', '/api/tokens', created);
    await assertDocumented('post', '/api/tokens', await send(adminToken, 'POST', '/api/tokens', { role: 'x' }));
    await assertDocumented('delete', '/api/tokens/{id}', await send(adminToken, 'DELETE', `/api/tokens/${id}`));
    await assertDocumented('delete', '/api/tokens/{id}', await send(adminToken, 'DELETE', `/api/tokens/${id}`));
    for (const path of [
      '/api/tokens',
      '/api/health',
      '/api/health/ready',
      '/api/health/live',
      '/api/info',
      '/api/servers',
      '/api/policies',
      '/api/calls',
      '/api/statistics',
      '/api/clients',
      '/api/journal',
      '/openapi.json',
    ]) {
      await assertDocumented('get', path, await get(path));
    }
    await assertDocumented('get', '/api/tools/{name}', await get('/api/tools/mcp__test__echo'));
    await assertDocumented('get', '/api/tools/{name}', await get('/api/tools/none'));
    await assertDocumented('get', '/api/calls/{id}', await get(`/api/calls/${callId}`));
    await assertDocumented('get', '/api/results/{id}', await get(`/api/results/${callId}`));
    await assertDocumented('get', '/api/journal', await get('/api/journal?limit=x'));
    await assertDocumented('get', '/api/info', await fetch(`${server.url}/api/info`));
    box.servers.disable('test');
    await assertDocumented('get', '/api/tools', await get('/api/tools'));
  });

  it('marks no optional field as required', () => {
    const directory = join(import.meta.dirname, '../..');
    const wrong = globSync('**/*.ts', { cwd: directory })
      .filter((file) => !file.endsWith('.test.ts'))
      .filter((file) => readFileSync(join(directory, file), 'utf8').includes('.exactOptional('));
    assert.deepEqual(
      wrong,
      [],
      'the document would mark the field as required: use optional(), and omitUndefined() for its value',
    );
  });

  it('is rendered at /docs without external resources', async (test) => {
    const { get } = await startTestServer(test);
    const response = await get('/docs');
    const page = await response.text();
    assert.match(response.headers.get('content-type') ?? '', /text\/html/);
    const document = await bodyOf<Document>(get('/openapi.json'));
    for (const path of Object.keys(document.paths)) assert.ok(page.includes(`<code>${path}</code>`), path);
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g))
      assert.match(address ?? '', /^(\/(?!\/)|data:|#)/);
    assert.doesNotMatch(page, /undefined|\[object/);
  });
});
