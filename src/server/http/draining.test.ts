import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';

describe('draining of a server', () => {
  it('reports not ready at once, and serves requests until the server stops', async (test) => {
    const { server, get, call } = await startTestServer(test, { limits: { drainMs: 5000 } });
    assert.equal((await get('/api/health/ready')).status, 200);
    const slow = call('wait', { arguments: { ms: 7000 } });
    const closed = server.close();
    const ready = await get('/api/health/ready');
    assert.equal(ready.status, 503);
    assert.equal((await bodyOf<{ status: string }>(ready)).status, 'stopping');
    assert.equal((await get('/api/health/live')).status, 200, 'the process must not be restarted');
    const late = await call('echo', { arguments: { text: 'late' } });
    assert.equal((await bodyOf(late)).outcome, 'completed');
    assert.equal(late.headers.get('connection'), 'close', 'the next request goes to another replica');
    assert.equal((await bodyOf(await slow)).outcome, 'completed', 'a running request may outlast the drain time');
    await closed;
    await assert.rejects(fetch(`${server.url}/api/health/live`));
  });
});

describe('health probes', () => {
  it('check the store at most once a second; the liveness probe never does', async (test) => {
    const { box, server, get } = await startTestServer(test);
    const { query } = box.journal;
    let queries = 0;
    test.mock.method(box.journal, 'query', (...options: Parameters<typeof query>) => {
      queries += 1;
      return query.apply(box.journal, options);
    });
    for (let time = 0; time < 20; time += 1) assert.equal((await fetch(`${server.url}/api/health/live`)).status, 200);
    assert.equal(queries, 0);
    const started = performance.now();
    for (let time = 0; time < 50; time += 1) await (await get('/api/health/ready')).text();
    const seconds = (performance.now() - started) / 1000;
    assert.ok(queries >= 1 && queries <= 1 + seconds, `${queries} times in ${seconds} s`);
  });

  it('report an unresponsive store within the timeout', async (test) => {
    const { box, get } = await startTestServer(test);
    test.mock.method(box.journal, 'query', () => new Promise(() => undefined));
    const ready = await get('/api/health/ready');
    assert.deepEqual(await bodyOf<object>(ready), {
      status: 'unavailable',
      journal: 'unavailable',
      servers: 'ok',
      starting: 0,
    });
  });
});
