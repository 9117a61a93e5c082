import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { type TestContext, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { envelope } from '../mcp-clients/raw.ts';
import { token } from '../mcp-clients/serving.ts';
import { isFull } from '../support/faults.ts';
import { startLoadedServer } from './loaded-server.ts';

interface MeasuredResponse {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly ms: number;
}

interface Target {
  readonly agent: Agent;
  readonly url: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

function call({ agent, url, path, body, headers }: Target): Promise<MeasuredResponse> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(url + path, { method: 'POST', agent, headers }, (incoming) => {
      incoming.resume().once('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          retryAfter: incoming.headers['retry-after'],
          ms: performance.now() - started,
        }),
      );
    });
    outgoing.on('error', reject).end(body);
  });
}

const [rounds, roundMs] = isFull() ? [5, 4000] : [2, 1500];
const maxCalls = 30;
const [workMs, concurrency] = [40, 4];
const capacity = (1000 / workMs) * concurrency;
const commonHeaders = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

function createTarget(t: TestContext, url: string, kind: 'api' | 'mcp', tool: string): Target {
  const agent = new Agent({ keepAlive: true, maxSockets: 2000 });
  t.after(() => agent.destroy());
  const name = `mcp__fixture__${tool}`;
  if (kind === 'api')
    return { agent, url, path: `/api/tools/${name}/call`, body: '{"arguments":{}}', headers: commonHeaders };
  const params = { name, arguments: {}, _meta: envelope() };
  return {
    agent,
    url,
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: { ...commonHeaders, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  };
}

/** Calls with this many workers, each as soon as it has its response; returns the completed calls per second. */
async function closedLoop(target: Target, workers: number, forMs: number): Promise<number> {
  const end = performance.now() + forMs;
  let done = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < end) if ((await call(target)).status === 200) done += 1;
  };
  await Promise.all(Array.from({ length: workers }, work));
  return (done * 1000) / forMs;
}

/** Makes this many calls per second, independent of the responses. */
async function openLoop(target: Target, perSecond: number, forMs: number): Promise<MeasuredResponse[]> {
  const responses: Promise<MeasuredResponse>[] = [];
  const started = performance.now();
  for (let passed = 0; passed < forMs; passed = performance.now() - started) {
    while (responses.length < (passed / 1000) * perSecond) responses.push(call(target));
    await wait(5);
  }
  return Promise.all(responses);
}

suite('overload with five times the capacity', { timeout: 200_000 }, () => {
  for (const kind of ['api', 'mcp'] as const)
    test(`over ${kind}: calls within the limit complete, others are rejected at once, and memory stays bounded`, async (t) => {
      const env = { WORK_MS: String(workMs), CONCURRENCY: String(concurrency), CALLS: String(maxCalls) };
      const { url, ask } = await startLoadedServer(t, env);
      const target = createTarget(t, url, kind, 'work');
      await openLoop(target, 5 * capacity, 1000);
      const before = await ask({ ask: 'measure' });
      const responses: MeasuredResponse[] = [];
      let peakRate = 0;
      // Alternates both loops, so that other load of the machine affects both.
      for (let round = 0; round < rounds; round += 1) {
        peakRate += (await closedLoop(target, 16, roundMs)) / rounds;
        responses.push(...(await openLoop(target, 5 * capacity, roundMs)));
      }
      const after = await ask({ ask: 'measure' });
      const done = responses.filter(({ status }) => status === 200);
      const refused = responses.filter(({ status }) => status !== 200);
      const seconds = (rounds * roundMs) / 1000;
      // Running calls at the end of a round complete after it.
      const overloadRate = (done.length - rounds * (maxCalls - concurrency)) / seconds;
      t.diagnostic(
        `peak ${peakRate.toFixed(0)}/s; of ${(responses.length / seconds).toFixed(0)}/s ${overloadRate.toFixed(0)}/s completed, ${refused.length} rejected, ${((after.heldBytes - before.heldBytes) / 1e6).toFixed(1)} MB more`,
      );
      // Rates are only compared in full size: other processes take a varying share of the machine.
      if (isFull()) assert.ok(overloadRate >= 0.9 * peakRate, `${overloadRate} a second instead of ${peakRate}`);
      assert.ok(done.length >= rounds * maxCalls, `${done.length} calls completed, fewer than fit in the queue`);
      assert.ok(refused.length > done.length, 'the server was overloaded');
      for (const { status, retryAfter } of refused) assert.deepEqual([status, retryAfter], [429, '1']);
      const growth = after.heldBytes - before.heldBytes;
      assert.ok(growth < 20 * 1024 * 1024, `${growth} bytes more are held`);
      assert.deepEqual(after.logged, []);
      const [slowestRefusal, slowestCall] = [refused, done].map((all) => Math.max(...all.map(({ ms }) => ms))) as [
        number,
        number,
      ];
      t.diagnostic(`rejected within ${slowestRefusal.toFixed(0)} ms, completed within ${slowestCall.toFixed(0)} ms`);
    });

  test(
    'records the throughput when the processor is the bottleneck',
    { skip: !isFull() && 'npm run faults' },
    async (t) => {
      const { url } = await startLoadedServer(t, { CALLS: '64' });
      const target = createTarget(t, url, 'mcp', 'echo');
      await closedLoop(target, 32, 2000);
      const peakRate = await closedLoop(target, 32, 5000);
      const overloadRate = await closedLoop(target, 5 * 32, 5000);
      t.diagnostic(
        `peak ${peakRate.toFixed(0)}/s with 32 at a time; ${overloadRate.toFixed(0)}/s with 160, which retry at once when rejected`,
      );
      assert.ok(overloadRate > 0);
    },
  );
});
