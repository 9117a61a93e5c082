import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { adminToken, sendRawRequest, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import { malformedBody } from './json-body.ts';
import type { ProblemDocument } from '../problems/problem.ts';

const megabyte = 1024 * 1024;
const path = '/api/tools/mcp__test__echo/call';
const authorization = `Bearer ${adminToken}`;

describe('readJsonBody', () => {
  it('accepts 8 MB and refuses a larger Content-Length', async (test) => {
    const { call } = await startTestServer(test);
    const largest = await call('echo', { arguments: { text: 'x'.repeat(8 * megabyte - 1000) } });
    assert.equal(largest.status, 200);
    const response = await call('echo', { arguments: { text: 'x'.repeat(8 * megabyte) } });
    assert.equal(response.status, 413);
    assert.equal((await bodyOf<ProblemDocument>(response)).code, 'body-too-large');
  });

  it('refuses a Content-Length that is too large without waiting for the body', async (test) => {
    const { server } = await startTestServer(test);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: ${authorization}\r\n`);
    socket.write(`Content-Type: application/json\r\nContent-Length: ${9 * megabyte}\r\n\r\n{`);
    const [head] = (await once(socket, 'data', { signal: AbortSignal.timeout(2000) })) as [Buffer];
    socket.destroy();
    assert.match(String(head), /^HTTP\/1.1 413 /);
  });

  it('enforces the limit while reading a chunked body', async (test) => {
    const { server, box } = await startTestServer(test, { limits: { bodyBytes: megabyte } });
    const headers = { host: `127.0.0.1:${server.port}`, authorization, 'content-type': 'application/json' };
    const body = [
      '{"arguments":{"text":"',
      ...Array.from({ length: 24 }, () => Buffer.alloc(megabyte / 16, 'x')),
      '"}}',
    ];
    const answer = await sendRawRequest(server, path, { method: 'POST', headers, body });
    assert.equal(answer.status, 413);
    assert.match(answer.headers['content-type'] ?? '', /problem\+json/);
    assert.equal((await box.journal.calls()).items.length, 0);
    const chunked = await sendRawRequest(server, path, {
      method: 'POST',
      headers,
      body: ['{"arguments":', '{"text":"in parts"}}'],
    });
    assert.equal(chunked.status, 200);
  });

  it('reports the position of the first syntax error', async (test) => {
    const { call } = await startTestServer(test);
    const response = await call('echo', undefined, { body: '{"arguments":\n {"text": nonsense}}' });
    const problem = await bodyOf<ProblemDocument>(response);
    assert.equal(response.status, 400);
    assert.equal(problem.code, 'body-malformed');
    assert.match(problem.detail, /line 2, column 11 \(position 24\)/);
  });

  it('refuses malformed bodies of every kind with 400', async (test) => {
    const { call, logged } = await startTestServer(test);
    for (const body of [
      '{',
      '[',
      '"',
      'nul',
      '{"a":1}}',
      '{"a":1,}',
      '// comment',
      '[['.repeat(100_000),
      Buffer.from([0x22, 0xff, 0xfe, 0x22]),
    ]) {
      const response = await call('echo', undefined, { body });
      assert.equal(response.status, 400, String(body).slice(0, 20));
      assert.equal((await bodyOf<ProblemDocument>(response)).code, 'body-malformed');
    }
    assert.deepEqual(logged, []);
  });

  it('refuses other media types, and a body without a media type', async (test) => {
    const { call } = await startTestServer(test);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ]) {
      const response = await call('echo', {}, { headers: { authorization, 'content-type': type } });
      assert.equal(response.status, 415, type);
      assert.equal((await bodyOf<ProblemDocument>(response)).code, 'body-type-unsupported');
    }
    const untyped = await call('echo', undefined, { headers: { authorization }, body: Buffer.from('{}') });
    assert.equal(untyped.status, 415);
  });

  it('reports every validation error of a body', async (test) => {
    const { call } = await startTestServer(test);
    const response = await call('echo', { args: {}, idempotencyKey: 7, waitSeconds: -1 });
    const problem = await bodyOf<ProblemDocument>(response);
    assert.equal(response.status, 400);
    assert.equal(problem.code, 'request-invalid');
    assert.deepEqual(problem.issues?.map((issue) => issue.path).toSorted(), [
      'body',
      'body.idempotencyKey',
      'body.waitSeconds',
    ]);
    assert.match(problem.detail, /args/);
  });

  it('accepts an empty body for a tool without arguments', async (test) => {
    const { server } = await startTestServer(test);
    for (const headers of [{ authorization }, { authorization, 'content-type': 'application/json' }]) {
      const response = await fetch(`${server.url}/api/tools/mcp__signalbox__ping/call`, { method: 'POST', headers });
      assert.equal((await bodyOf(response)).outcome, 'completed');
    }
  });
});

describe('malformedBody', () => {
  it('omits the position for huge or deeply nested bodies', () => {
    assert.equal(malformedBody('['.repeat(200_000)).message, 'the body is not valid JSON');
    assert.equal(malformedBody('x'.repeat(300_000)).message, 'the body is not valid JSON');
  });
});
