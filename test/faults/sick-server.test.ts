import assert from 'node:assert/strict';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, suite, test } from 'node:test';
import { type CallResult, type Signalbox, createSignalbox, mcpServer } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { isFull } from '../support/faults.ts';

interface Clinic {
  readonly box: Signalbox;
  /** Makes the last server answer calls, or not. */
  heal(isWell: boolean): void;
  /** How many calls the last server has not answered. */
  unanswered(): number;
}

/**
 * Ten servers, of which the last may fall sick: it shakes hands and lists its tools, and answers no call. It alone has so little
 * time: a busy machine may keep an answer of the others for longer.
 */
async function clinic(t: TestContext, timeoutMs: number): Promise<Clinic> {
  let isSick = false;
  const open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(text) as { id?: unknown; method: string; params?: { name?: string } };
      const isOfTheLast = request.url === '/9/mcp';
      if (id === undefined) return void response.writeHead(202).end();
      if (isOfTheLast && isSick && method === 'tools/call') return void open.push(response);
      const answer = answers[method]?.(params);
      const body = answer === undefined ? { error: { code: -32_601, message: 'no such method' } } : { result: answer };
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const servers = Array.from({ length: 10 }, (_, at) =>
    mcpServer({
      name: `s${at}`,
      transport: { type: 'http', url: `http://127.0.0.1:${port}/${at}/mcp` },
      concurrency: 8,
      ...(at === 9 ? { timeoutMs } : {}),
    }),
  );
  const box = await createSignalbox({ servers });
  t.after(async () => {
    for (const response of open) response.destroy();
    await box.close({ graceMs: 100 });
    server.closeAllConnections();
    server.close();
  });
  await Promise.all(servers.map((each) => each.ready()));
  return { box, heal: (isWell) => void (isSick = !isWell), unanswered: () => open.length };
}

const answers: Readonly<Record<string, (params: { name?: string } | undefined) => object>> = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'plain', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: [{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'seen' }] }),
};

const look = (box: Signalbox, at: number): Promise<CallResult> => box.call(`mcp__s${at}__look`);

/** Calls of the nine healthy ones, so many in all and sixteen at a time: how long each took. */
async function visit(box: Signalbox, times: number): Promise<number[]> {
  const took: number[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < times) {
      const at = (next += 1) % 9;
      const started = performance.now();
      const { outcome } = await look(box, at);
      took.push(performance.now() - started);
      assert.equal(outcome, 'completed');
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return took.toSorted((a, b) => a - b);
}

const ninetyNinth = (took: readonly number[]): number => took[Math.floor(took.length * 0.99)] ?? 0;

suite('one sick server of ten', { timeout: isFull() ? 600_000 : 280_000 }, () => {
  test('keeps no call of the others waiting; so many wait for it and no more, and all of them end', async (t) => {
    const { box, heal } = await clinic(t, 2000);
    heal(false);
    const stuck = Array.from({ length: 2000 }, () => look(box, 9));
    const refused = (await Promise.all(stuck.slice(1008))).map(({ error }) => error?.code);
    assert.deepEqual(new Set(refused), new Set(['server-busy']), 'the rest is told at once');
    await visit(box, 500);
    const ends = await Promise.all(stuck);
    const busy = ends.filter(({ error }) => error?.code === 'server-busy').length;
    assert.equal(busy, 2000 - 1008, 'eight run, a thousand wait');
    assert.deepEqual(new Set(ends.map(({ outcome }) => outcome)), new Set(['timed-out', 'failed']));
    assert.equal(ends.filter(({ outcome }) => outcome === 'completed').length, 0);
  });

  test('is left alone when it has not answered for a while, and used again when it answers', async (t) => {
    const { box, heal, unanswered } = await clinic(t, 300);
    heal(false);
    const first = await Promise.all(Array.from({ length: 40 }, () => look(box, 9)));
    const asked = unanswered();
    assert.ok(asked < 40, `${asked} of 40 were asked of it`);
    const ends = new Set(first.map(({ error }) => error?.code));
    assert.ok(ends.delete('deadline-exceeded'));
    assert.ok([...ends].every((code) => code === 'server-down'));
    const { error } = await look(box, 9);
    assert.equal(error?.code, 'server-down');
    assert.match(error?.message ?? '', /was not run: server "s9" did not answer .*; it is tried again in \d+ s/);
    assert.equal(unanswered(), asked, 'it is not asked in between');
    heal(true);
    await until(async () => (await look(box, 9)).outcome === 'completed', 'it is tried again');
    await until(async () => {
      const after = await Promise.all(Array.from({ length: 20 }, () => look(box, 9)));
      return after.every(({ outcome }) => outcome === 'completed');
    }, 'it is used as before');
  });

  test(
    'leaves the ninety-ninth percentile of the others within 1.2 times of before',
    { skip: !isFull() && 'npm run faults', timeout: 500_000 },
    async (t) => {
      const { box, heal } = await clinic(t, 1000);
      await visit(box, 3000);
      const over = new AbortController();
      const press = async (): Promise<void> => {
        while (!over.signal.aborted) {
          await look(box, 9);
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      };
      const pressing = Promise.all(Array.from({ length: 50 }, press));
      const took: Record<'well' | 'sick', number[]> = { well: [], sick: [] };
      // In turns: whatever else the machine does is shared by both.
      for (let round = 0; round < 4; round += 1) {
        heal(true);
        await until(async () => (await look(box, 9)).outcome === 'completed', 'all are well');
        took.well.push(...(await visit(box, 2000)));
        heal(false);
        await until(async () => (await look(box, 9)).outcome !== 'completed', 'one is sick');
        took.sick.push(...(await visit(box, 2000)));
      }
      over.abort();
      await pressing;
      const [well, sick] = [took.well, took.sick].map((all) => ninetyNinth(all.toSorted((a, b) => a - b))) as [
        number,
        number,
      ];
      t.diagnostic(`p99 ${well.toFixed(1)} ms with all well, ${sick.toFixed(1)} ms with one sick`);
      assert.ok(sick <= 1.2 * well, `the others took ${sick} ms instead of ${well}`);
    },
  );
});
