import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../../test/mcp-servers/boxed.ts';
import { startTestServer } from '../../../test/support/http/http-server.ts';

describe('GET /metrics', () => {
  it('exports counts and durations of calls by tool, server and outcome, and metrics of the process', async (test) => {
    const { call, get } = await startTestServer(test);
    await call('echo', { arguments: { text: 'a' } });
    await call('echo', { arguments: { text: 'b' } });
    await call('break');
    await call('none');
    const response = await get('/metrics');
    const text = await response.text();
    assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
    assert.match(text, /^signalbox_calls_total\{server="test",tool="mcp__test__echo",outcome="completed"\} 2$/m);
    assert.match(text, /^signalbox_calls_total\{server="test",tool="mcp__test__break",outcome="failed"\} 1$/m);
    assert.match(text, /^signalbox_calls_total\{server="none",tool="unknown",outcome="denied"\} 1$/m);
    assert.match(text, /^signalbox_call_duration_seconds_count\{server="test",outcome="completed"\} 2$/m);
    assert.match(text, /^signalbox_calls_in_flight 0$/m);
    assert.match(text, /^signalbox_server_up\{server="test"\} 1$/m);
    assert.match(text, /^process_cpu_user_seconds_total /m);
  });

  it('exports the number of running calls', async (test) => {
    const { call, get } = await startTestServer(test, { limits: { graceMs: 200 } });
    const cancel = new AbortController();
    const running = call('wait', { arguments: { ms: 60_000 } }, { signal: cancel.signal });
    const isCounted = async (): Promise<boolean> =>
      /^signalbox_calls_in_flight 1$/m.test(await (await get('/metrics')).text());
    await until(isCounted, 'the running call is counted');
    cancel.abort();
    await assert.rejects(running);
  });

  it('exports only the calls of its own box', async (test) => {
    const [one, other] = [await startTestServer(test), await startTestServer(test)];
    await one.call('echo', { arguments: { text: 'a' } });
    assert.doesNotMatch(await (await other.get('/metrics')).text(), /signalbox_calls_total\{/);
  });
});
