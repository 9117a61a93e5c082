import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { type TestContext, suite, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { envelope } from '../mcp-clients/raw.ts';
import { token } from '../mcp-clients/serving.ts';
import { isFull } from '../support/faults.ts';
import { pressedServer } from './pressed.ts';

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly ms: number;
}

interface Ways {
  readonly agent: Agent;
  readonly url: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

function call({ agent, url, path, body, headers }: Ways): Promise<Answer> {
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
const room = 30;
const [workMs, concurrency] = [40, 4];
const capacity = (1000 / workMs) * concurrency;
const common = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

function ways(t: TestContext, url: string, kind: 'api' | 'mcp', tool: string): Ways {
  const agent = new Agent({ keepAlive: true, maxSockets: 2000 });
  t.after(() => agent.destroy());
  const name = `mcp__fixture__${tool}`;
  if (kind === 'api') return { agent, url, path: `/api/tools/${name}/call`, body: '{"arguments":{}}', headers: common };
  const params = { name, arguments: {}, _meta: envelope() };
  return {
    agent,
    url,
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    headers: { ...common, 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': name },
  };
}

/** As fast as answers come, so many at a time. */
async function closedLoop(way: Ways, workers: number, forMs: number): Promise<number> {
  const end = performance.now() + forMs;
  let done = 0;
  const work = async (): Promise<void> => {
    while (performance.now() < end) if ((await call(way)).status === 200) done += 1;
  };
  await Promise.all(Array.from({ length: workers }, work));
  return (done * 1000) / forMs;
}

/** So many a second, whether answers come or not. */
async function openLoop(way: Ways, perSecond: number, forMs: number): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const started = performance.now();
  for (let passed = 0; passed < forMs; passed = performance.now() - started) {
    while (answers.length < (passed / 1000) * perSecond) answers.push(call(way));
    await wait(5);
  }
  return Promise.all(answers);
}

suite('five times as many calls as can be done', { timeout: 200_000 }, () => {
  for (const kind of ['api', 'mcp'] as const)
    test(`over ${kind}: calls that fit are done, the rest is refused at once, and the memory stays`, async (t) => {
      const env = { WORK_MS: String(workMs), CONCURRENCY: String(concurrency), CALLS: String(room) };
      const { url, ask } = await pressedServer(t, env);
      const way = ways(t, url, kind, 'work');
      await openLoop(way, 5 * capacity, 1000);
      const before = await ask({ ask: 'fare' });
      const answers: Answer[] = [];
      let atPeak = 0;
      // In turns: whatever else the machine does is shared by both.
      for (let round = 0; round < rounds; round += 1) {
        atPeak += (await closedLoop(way, 16, roundMs)) / rounds;
        answers.push(...(await openLoop(way, 5 * capacity, roundMs)));
      }
      const after = await ask({ ask: 'fare' });
      const done = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status !== 200);
      const seconds = (rounds * roundMs) / 1000;
      // What is under way at the end of a round is done after it.
      const pressed = (done.length - rounds * (room - concurrency)) / seconds;
      t.diagnostic(
        `peak ${atPeak.toFixed(0)}/s; of ${(answers.length / seconds).toFixed(0)}/s ${pressed.toFixed(0)}/s are done, ${refused.length} refused, ${((after.held - before.held) / 1e6).toFixed(1)} MB more`,
      );
      // Rates are compared in the full form alone: other processes take a share of the machine that changes.
      if (isFull()) assert.ok(pressed >= 0.9 * atPeak, `${pressed} a second instead of ${atPeak}`);
      assert.ok(done.length >= rounds * room, `${done.length} calls were done, fewer than fit in the queue`);
      assert.ok(refused.length > done.length, 'it was overloaded');
      for (const { status, retryAfter } of refused) assert.deepEqual([status, retryAfter], [429, '1']);
      assert.ok(after.held - before.held < 20 * 1024 * 1024, `${after.held - before.held} bytes more are held`);
      assert.deepEqual(after.logged, []);
      const [told, slowest] = [refused, done].map((all) => Math.max(...all.map(({ ms }) => ms))) as [number, number];
      t.diagnostic(`refused within ${told.toFixed(0)} ms, done within ${slowest.toFixed(0)} ms`);
    });

  test(
    'when the processor is what is short: what is done, for the record',
    { skip: !isFull() && 'npm run faults' },
    async (t) => {
      const { url } = await pressedServer(t, { CALLS: '64' });
      const way = ways(t, url, 'mcp', 'echo');
      await closedLoop(way, 32, 2000);
      const peak = await closedLoop(way, 32, 5000);
      const pressed = await closedLoop(way, 5 * 32, 5000);
      t.diagnostic(
        `peak ${peak.toFixed(0)}/s with 32 at a time; ${pressed.toFixed(0)}/s with 160, who ask again at once when refused`,
      );
      assert.ok(pressed > 0);
    },
  );
});
