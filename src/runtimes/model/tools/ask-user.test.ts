import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RuntimeToolResult, Turn } from '../../runtime.ts';
import { askUser } from './ask-user.ts';

const input = { questions: [{ question: 'Which one?', options: [{ label: 'a' }, { label: 'b' }] }] };

/** Asks with this `ask`, and returns the result for the model and the ends of the begun call. */
async function asked(ask: Turn['ask'], signal = new AbortController().signal) {
  const ends: RuntimeToolResult[] = [];
  const tools = {
    begin: () =>
      Promise.resolve({
        allowed: true,
        arguments: input,
        end: (result: RuntimeToolResult) => {
          ends.push(result);
          return Promise.resolve({});
        },
      }),
  } as unknown as Turn['tools'];
  const result = await askUser({ ask, tools }, 'call-1', input, signal);
  return { result, ends };
}

describe('askUser', () => {
  test('ends the call with the answers', async () => {
    const { result, ends } = await asked(() => Promise.resolve({ 'Which one?': 'a' }));
    assert.equal(result.outcome, 'completed');
    assert.deepEqual(ends, [{ outcome: 'completed', output: '{"Which one?":"a"}' }]);
  });

  test('ends the call as failed, with the reason, when the question cannot be asked', async () => {
    const { result, ends } = await asked(() => Promise.reject(new Error('the store is away')));
    assert.deepEqual(ends, [{ outcome: 'failed', output: 'the question could not be asked: the store is away' }]);
    assert.equal(result.outcome, 'failed');
  });

  test('ends the call as cancelled when the turn is interrupted', async () => {
    const turn = new AbortController();
    const { result, ends } = await asked(() => {
      turn.abort();
      return new Promise(() => {});
    }, turn.signal);
    assert.deepEqual(ends, [{ outcome: 'cancelled', output: 'nobody answered the question' }]);
    assert.equal(result.outcome, 'cancelled');
  });
});
