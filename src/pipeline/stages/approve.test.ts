import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import {
  type ApprovalRequest,
  type Approve,
  type Signalbox,
  createSignalbox,
  defineTool,
  localServer,
  sqliteStore,
} from '../../index.ts';

let runs = 0;
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  effect: 'irreversible',
  run: ({ amount }) => {
    runs += 1;
    return { paid: amount };
  },
});

async function boxWith(approve?: Approve): Promise<{ box: Signalbox; server: ReturnType<typeof localServer> }> {
  runs = 0;
  const server = localServer({ name: 'bank', tools: [pay] });
  return { server, box: await createSignalbox({ servers: [server], ...(approve === undefined ? {} : { approve }) }) };
}

describe('calls that need approval', () => {
  test('are denied when nobody can be asked, with instructions to allow them; reads run', async () => {
    const { box } = await boxWith();
    const result = await box.call('mcp__bank__pay', { amount: 5 });
    assert.deepEqual([result.outcome, result.error?.code, runs], ['denied', 'approval-unavailable', 0]);
    assert.match(result.error?.message ?? '', /"approve" callback/);
    assert.equal(result.decision?.rule, 'default:irreversible');
    assert.equal((await box.call('mcp__signalbox__ping')).decision?.answer, 'allow');
    await box.close();
  });

  test('include those of a tool that does not declare its effect', async () => {
    const undeclared = defineTool({ name: 'undeclared', description: 'x', input: { type: 'object' }, run: () => 1 });
    const box = await createSignalbox({ servers: [localServer({ name: 't', tools: [undeclared] })] });
    assert.equal((await box.call('mcp__t__undeclared')).outcome, 'denied');
    await box.close();
  });

  test('are shown exactly as they are to the human, and run once when approved', async () => {
    const requests: ApprovalRequest[] = [];
    const { box } = await boxWith((request) => {
      requests.push(request);
      return { allow: true };
    });
    const result = await box.call(
      'mcp__bank__pay',
      { amount: 5 },
      { session: 's', principal: { id: 'bot', kind: 'agent' } },
    );
    assert.deepEqual([result.outcome, result.structuredContent, runs], ['completed', { paid: 5 }, 1]);
    const [request] = requests;
    assert.deepEqual(
      [
        request?.callId,
        request?.tool.name,
        request?.arguments,
        request?.principal.id,
        request?.session,
        request?.decision.answer,
      ],
      [result.callId, 'mcp__bank__pay', { amount: 5 }, 'bot', 's', 'ask'],
    );
    await box.close();
  });

  test('are denied by a denial, a throw and any answer other than an explicit approval', async () => {
    const answers: [Approve, string][] = [
      [() => ({ allow: false, reason: 'too much' }), 'approval-denied'],
      [() => Promise.reject(new Error('pager is down')), 'approval-failed'],
      [
        () => {
          throw new Error('pager is down');
        },
        'approval-failed',
      ],
      [() => 'yes' as never, 'approval-denied'],
      [() => ({ allow: 'true' }) as never, 'approval-denied'],
      [() => undefined as never, 'approval-denied'],
    ];
    for (const [approve, code] of answers) {
      const { box } = await boxWith(approve);
      const result = await box.call('mcp__bank__pay', { amount: 5 });
      assert.deepEqual([result.outcome, result.error?.code, runs], ['denied', code, 0]);
      await box.close();
    }
  });

  test('run only after one flush has written both answer and intent to the disk', async () => {
    const store = sqliteStore();
    const flush = store.sync.bind(store);
    let flushes = 0;
    let isFailing = false;
    const sync = async (): Promise<void> => {
      flushes += 1;
      if (isFailing) throw new Error('no space left');
      await flush();
    };
    const seen: number[] = [];
    const send = defineTool({
      name: 'send',
      description: 'Sends.',
      input: z.object({ to: z.number() }),
      effect: 'irreversible',
      run: () => void seen.push(flushes),
    });
    const box = await createSignalbox({
      servers: [localServer({ name: 'mail', tools: [send] })],
      store: Object.assign(store, { sync }),
      approve: () => ({ allow: true }),
    });
    for (let to = 0; to < 20; to += 1) await box.call('mcp__mail__send', { to });
    assert.deepEqual(
      seen,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    isFailing = true;
    const { outcome, error } = await box.call('mcp__mail__send', { to: 99 });
    assert.deepEqual([outcome, error?.code, seen.length], ['failed', 'journal-unavailable', 20]);
    isFailing = false;
    await box.close();
  });

  test('are unaffected by a callback that modifies the arguments it receives', async () => {
    const { box } = await boxWith((request) => {
      (request.arguments as { amount: number }).amount = 1_000_000;
      return { allow: true };
    });
    assert.deepEqual((await box.call('mcp__bank__pay', { amount: 5 })).structuredContent, { paid: 5 });
    await box.close();
  });

  test('end without running when they are cancelled or time out while they wait', async () => {
    let withdrawn = 0;
    const controller = new AbortController();
    const { box } = await boxWith(
      ({ signal }) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (withdrawn += 1));
          controller.abort();
        }),
    );
    assert.equal((await box.call('mcp__bank__pay', { amount: 5 }, { signal: controller.signal })).outcome, 'cancelled');
    assert.equal(
      (await box.call('mcp__bank__pay', { amount: 5 }, { deadline: Date.now() + 300 })).outcome,
      'timed-out',
    );
    assert.deepEqual([withdrawn, runs], [2, 0]);
    await box.close();
  });

  test('are stale and do not run when the tool changed while they waited', async () => {
    const { box, server } = await boxWith(() => {
      server.replace(defineTool({ ...pay, description: 'Pays twice.' }));
      return { allow: true };
    });
    assert.deepEqual([(await box.call('mcp__bank__pay', { amount: 5 })).outcome, runs], ['stale', 0]);
    await box.close();
  });
});
