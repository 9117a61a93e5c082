import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnOf } from '../../../../test/support/runtime/run-turn.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import type { TurnEvent } from '../../runtime.ts';
import { type RunClaudeTurn, createClaudeRuntime } from './create-claude-runtime.ts';

async function told(drive: RunClaudeTurn, signal = new AbortController().signal): Promise<TurnEvent[]> {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  const events: TurnEvent[] = [];
  for await (const event of createClaudeRuntime('test', {}, drive).turn(turnOf({ box, own }, 'hello', { signal })))
    events.push(event);
  await box.close();
  return events;
}

test('a turn that is interrupted before it begins starts nothing', async () => {
  let started = false;
  const drive = (): Promise<void> => {
    started = true;
    return Promise.resolve();
  };
  assert.deepEqual(await told(drive, AbortSignal.abort()), [{ type: 'done', reason: 'interrupted' }]);
  assert.equal(started, false);
});

test('a fault of a driver is told like any other error', async () => {
  assert.deepEqual(await told(() => Promise.reject(new Error('a fault'))), [
    { type: 'error', code: 'runtime-failed', message: 'a fault' },
    { type: 'done', reason: 'error' },
  ]);
});

test('closing interrupts what runs and waits for it', async () => {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  let ended = false;
  const begun = Promise.withResolvers<void>();
  const runtime = createClaudeRuntime('test', {}, async (_, _options, signal, tell) => {
    begun.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await new Promise((resolve) => setImmediate(resolve));
    ended = true;
    tell({ type: 'done', reason: 'interrupted' });
  });
  const next = runtime.turn(turnOf({ box, own }, 'hello'))[Symbol.asyncIterator]().next();
  await begun.promise;
  await runtime.close();
  assert.equal(ended, true);
  assert.deepEqual((await next).value, { type: 'done', reason: 'interrupted' });
  await box.close();
});

test('what a turn is told with is found out for each turn; that it cannot be is told', async () => {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  let key: string | undefined;
  const runtime = createClaudeRuntime(
    'test',
    (turn) =>
      key === undefined
        ? Promise.reject(new Error('the secret KEY is not set'))
        : Promise.resolve({ model: `${key} for ${turn?.session}` }),
    (_, { model = '' }, _signal, tell) => {
      tell({ type: 'text_delta', text: model });
      tell({ type: 'done', reason: 'end' });
      return Promise.resolve();
    },
  );
  const events = async (): Promise<TurnEvent[]> => {
    const all: TurnEvent[] = [];
    for await (const event of runtime.turn(turnOf({ box, own }, 'hello'))) all.push(event);
    return all;
  };
  assert.deepEqual(await events(), [
    { type: 'error', code: 'runtime-failed', message: 'the secret KEY is not set' },
    { type: 'done', reason: 'error' },
  ]);
  key = 'a';
  assert.deepEqual((await events())[0], { type: 'text_delta', text: 'a for session-1' });
  await box.close();
});
