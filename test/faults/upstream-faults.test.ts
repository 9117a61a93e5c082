import assert from 'node:assert/strict';
import { type TestContext, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type CallResult, type McpTransport, type Signalbox, createSignalbox, mcpServer } from '../../src/index.ts';
import { until } from '../mcp-servers/boxed.ts';
import { httpFixture } from '../mcp-servers/http-fixture.ts';
import { isFull } from '../support/faults.ts';
import { type Fault, startFaultProxy, faults } from './fault-proxy.ts';
import { runSeed, seeded } from '../support/seeded.ts';

const deadlineMs = isFull() ? 2000 : 500;
/** Each fault starts a new process, so the short form tests three random faults. */
const random = seeded(runSeed);
const processFaults = isFull() ? faults : faults.toSorted(() => random() - 0.5).slice(0, 3);
const faulty = fileURLToPath(new URL('../mcp-servers/faulty-program.ts', import.meta.url));

async function open(t: TestContext, transport: McpTransport): Promise<Signalbox> {
  const server = mcpServer({ name: 'sick', transport });
  const box = await createSignalbox({ servers: [server], approve: () => ({ allow: true }) });
  t.after(() => box.close({ graceMs: 100 }));
  await server.ready();
  return box;
}

/** Makes a call with a deadline. Rejects if the call continues long after it. */
async function callWithDeadline(box: Signalbox, tool: string, args: object): Promise<CallResult> {
  const deadline = Date.now() + deadlineMs;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${tool} continues long after its deadline`)),
    deadlineMs + 30_000,
  );
  try {
    return await Promise.race([box.call(`mcp__sick__${tool}`, args, { deadline }), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Asserts a clear outcome: an unanswered read has failed; the outcome of an effect is unknown, unless it never began. */
function assertClear(tool: 'echo' | 'act', fault: Fault, { outcome, error, content }: CallResult): void {
  const context = `${tool} with ${fault}: ${outcome} ${error?.message}`;
  const allowed = tool === 'echo' ? ['failed', 'timed-out'] : ['unknown', 'timed-out', 'failed'];
  // After an earlier call, the server may be known to be down.
  const isDown = outcome === 'failed' && error?.code === 'server-down';
  assert.ok(allowed.includes(outcome) || isDown, context);
  assert.ok((error?.message.length ?? 0) > 20 && content.length > 0, context);
  // After earlier timeouts, the server may be known to be unresponsive.
  const isGivenUp = /no longer responds/.test(error?.message ?? '');
  if ((fault === 'hang' || fault === 'swallow') && !isGivenUp && !isDown) assert.equal(outcome, 'timed-out', context);
}

suite('server whose responses are faulty', { timeout: 280_000 }, () => {
  for (const era of ['legacy', 'modern'] as const) {
    test(`over HTTP (${era}): every call ends by its deadline with a clear outcome, and calls succeed after the fault`, async (t) => {
      t.diagnostic(`seed ${runSeed}`);
      const fixture = await httpFixture(era);
      t.after(() => fixture.close());
      const proxy = await startFaultProxy(t, fixture.url, seeded(runSeed));
      const box = await open(t, { type: 'http', url: proxy.url });
      const isWell = async (): Promise<boolean> =>
        (await box.call('mcp__sick__echo', { text: 'well' }, { deadline: Date.now() + 5000 })).outcome === 'completed';
      assert.ok(await isWell());
      for (const fault of faults) {
        proxy.set(fault);
        const before = proxy.injected();
        for (const tool of ['echo', 'act'] as const)
          assertClear(tool, fault, await callWithDeadline(box, tool, { text: 'x', file: '/dev/null', line: fault }));
        assert.ok(proxy.injected() > before, `${fault} was injected`);
        proxy.set(undefined);
        await until(isWell, `calls succeed after ${fault}`);
      }
      const { items } = await box.journal.calls({ limit: 1000 });
      assert.ok(
        items.every(({ type }) => type === 'ToolInvoked'),
        'each call has a recorded outcome',
      );
    });

    test(`over stdio (${era}): every call ends by its deadline with a clear outcome, and calls succeed after a restart`, async (t) => {
      t.diagnostic(`seed ${runSeed}: ${processFaults.join(', ')}`);
      const box = await open(t, { type: 'stdio', command: process.execPath, args: [faulty, era] });
      const isWell = async (): Promise<boolean> =>
        (await box.call('mcp__sick__echo', { text: 'well' }, { deadline: Date.now() + 5000 })).outcome === 'completed';
      for (const fault of processFaults) {
        await until(isWell, `calls succeed before ${fault}`);
        const [first, ...rest] = await Promise.all([
          callWithDeadline(box, 'echo', { text: `fault:${fault}` }),
          callWithDeadline(box, 'act', { file: '/dev/null', line: 'x' }),
          callWithDeadline(box, 'echo', { text: 'x' }),
        ]);
        assertClear('echo', fault, first);
        for (const result of rest) assert.ok(['completed', 'failed', 'unknown', 'timed-out'].includes(result.outcome));
        await box.servers.restart('sick');
      }
    });
  }
});
