import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testTurn } from '../../../../test/support/runtime/run-turn.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import { runtimeTools } from '../../runtime-tools.ts';
import type { TurnEvent } from '../../runtime.ts';
import { type RunClaudeTurn, createClaudeRuntime } from './create-claude-runtime.ts';

async function eventsOf(drive: RunClaudeTurn, signal = new AbortController().signal): Promise<TurnEvent[]> {
  const own = runtimeTools('claude');
  const box = await openSignalbox({ servers: [own] });
  const events: TurnEvent[] = [];
  for await (const event of createClaudeRuntime('test', {}, drive).turn(testTurn({ box, own }, 'hello', { signal })))
    events.push(event);
  await box.close();
  return events;
}

describe('createClaudeRuntime', () => {
  test('starts nothing for a turn that is interrupted before it begins', async () => {
    let started = false;
    const drive = (): Promise<void> => {
      started = true;
      return Promise.resolve();
    };
    assert.deepEqual(await eventsOf(drive, AbortSignal.abort()), [{ type: 'done', reason: 'interrupted' }]);
    assert.equal(started, false);
  });

  test('reports an exception of the driver as an error event', async () => {
    assert.deepEqual(await eventsOf(() => Promise.reject(new Error('driver failure'))), [
      { type: 'error', code: 'runtime-failed', message: 'driver failure' },
      { type: 'done', reason: 'error' },
    ]);
  });

  test('close() interrupts running turns and waits for them', async () => {
    const own = runtimeTools('claude');
    const box = await openSignalbox({ servers: [own] });
    let ended = false;
    const begun = Promise.withResolvers<void>();
    const runtime = createClaudeRuntime('test', {}, async (_, _options, signal, emit) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await new Promise((resolve) => setImmediate(resolve));
      ended = true;
      emit({ type: 'done', reason: 'interrupted' });
    });
    const next = runtime.turn(testTurn({ box, own }, 'hello'))[Symbol.asyncIterator]().next();
    await begun.promise;
    await runtime.close();
    assert.equal(ended, true);
    assert.deepEqual((await next).value, { type: 'done', reason: 'interrupted' });
    await box.close();
  });

  test('reads the options for each turn, and reports a failure to read them', async () => {
    const own = runtimeTools('claude');
    const box = await openSignalbox({ servers: [own] });
    let key: string | undefined;
    const runtime = createClaudeRuntime(
      'test',
      (turn) =>
        key === undefined
          ? Promise.reject(new Error('the secret KEY is not set'))
          : Promise.resolve({ model: `${key} for ${turn?.session}` }),
      (_, { model = '' }, _signal, emit) => {
        emit({ type: 'text_delta', text: model });
        emit({ type: 'done', reason: 'end' });
        return Promise.resolve();
      },
    );
    const events = async (): Promise<TurnEvent[]> => {
      const all: TurnEvent[] = [];
      for await (const event of runtime.turn(testTurn({ box, own }, 'hello'))) all.push(event);
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
});
