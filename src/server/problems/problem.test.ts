import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adminToken, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import { problemCodes } from './problem-codes.ts';
import { toProblem } from './to-problem.ts';
import type { ProblemDocument } from './problem.ts';

describe('problem documents', () => {
  it('describe errors as in RFC 9457', async (test) => {
    const { get } = await startTestServer(test);
    for (const [path, code] of [
      ['/nowhere', 'route-unknown'],
      ['/api/tools/none', 'tool-unknown'],
      ['/api/calls/none', 'call-unknown'],
      ['/api/results/none', 'result-unknown'],
      ['/api/journal?limit=0', 'request-invalid'],
    ] as const) {
      const response = await get(path);
      const problem = await bodyOf<ProblemDocument>(response);
      assert.equal(response.headers.get('content-type'), 'application/problem+json');
      assert.equal(response.status, problemCodes[code].status);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.ok(problem.detail.length > 0);
      const { type, title, status } = problem;
      assert.deepEqual(
        { type, title, status, code: problem.code },
        { type: `urn:signalbox:problem:${code}`, ...problemCodes[code], code },
      );
    }
  });

  it('of a 405 response come with the methods of the route', async (test) => {
    const { server } = await startTestServer(test);
    const headers = { authorization: `Bearer ${adminToken}` };
    for (const [method, path, allow] of [
      ['DELETE', '/api/tools', 'GET, HEAD'],
      ['GET', '/api/tools/x/call', 'POST'],
      ['PUT', '/api/servers/test/enable', 'POST'],
    ] as const) {
      const response = await fetch(server.url + path, { method, headers });
      assert.equal(response.status, 405);
      assert.equal(response.headers.get('allow'), allow);
    }
  });

  it('of an internal error contain only its id; the error is logged', async (test) => {
    const { box, get, logged } = await startTestServer(test);
    test.mock.method(box.journal, 'query', () => Promise.reject(new Error('the disk at /secret/path is full')));
    const response = await get('/api/journal');
    const text = await response.text();
    assert.equal(response.status, 500);
    assert.doesNotMatch(text, /secret|\.ts:|at /);
    const { instance } = JSON.parse(text) as ProblemDocument;
    assert.match(instance ?? '', /^fault_/);
    assert.equal(logged.length, 1);
    assert.ok(logged[0]?.startsWith(`${instance}: Error: the disk at /secret/path is full`));
    assert.deepEqual(await bodyOf<object>(get('/api/health')), {
      status: 'unavailable',
      journal: 'unavailable',
      servers: 'ok',
      starting: 0,
    });
    assert.equal((await get('/api/health')).status, 503);
  });

  it('report with 503 that the box is closed', async (test) => {
    const { box, call } = await startTestServer(test);
    await box.close();
    const response = await call('echo', { arguments: { text: 'too late' } });
    assert.equal(response.status, 503);
    assert.equal((await bodyOf<ProblemDocument>(response)).code, 'box-closed');
    assert.equal(response.headers.get('retry-after'), '1');
  });

  it('of unexpected thrown values are internal faults, and each is logged', () => {
    for (const thrown of [undefined, null, 'text', 7, new Error('x'), {}]) {
      const lines: string[] = [];
      assert.equal(toProblem(thrown, (line) => lines.push(line)).code, 'internal-fault');
      assert.equal(lines.length, 1);
    }
  });
});
