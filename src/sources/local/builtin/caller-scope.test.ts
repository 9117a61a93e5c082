import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSessionLookup, createSessionDescription } from '../../../../test/support/session-lookup.ts';
import type { Principal } from '../../../core/principal.ts';
import { callerScopeOf } from './caller-scope.ts';

const ada: Principal = { id: 'ada', kind: 'human' };
const book = createSessionLookup([
  createSessionDescription('s1', ada),
  createSessionDescription('s2', { id: 'ada/x', kind: 'agent' }),
]);
const agent = (id: string): Principal => ({ id, kind: 'agent' });

describe('whoever calls a built-in tool', () => {
  test('acts for the owner of the session it works in', async () => {
    const standing = await callerScopeOf({ principal: agent('ada/claude'), session: 's1' }, book);
    assert.deepEqual([standing.owner, standing.session?.id, standing.only], [ada, 's1', 'ada']);
  });

  test('acts for himself where he names a session that is not his, or only calls himself alike', async () => {
    for (const [id, session] of [
      ['bob', 's1'],
      ['ada/gpt', 's1'],
      ['ada', 's1'],
      ['ada/claude', 's2'],
      ['ada/claude', 'none'],
      ['ada/claude', undefined],
    ] as const) {
      const standing = await callerScopeOf({ principal: agent(id), session }, book);
      assert.deepEqual([standing.owner.id, standing.session, standing.only], [id, undefined, id]);
    }
  });

  test('sees everything when he is a human', async () => {
    assert.deepEqual(await callerScopeOf({ principal: ada, session: undefined }, book), {
      owner: ada,
      session: undefined,
    });
  });

  test('is not told something wrong when sessions cannot be looked at', async () => {
    const broken = { ...book, get: () => Promise.reject(new Error('the disk is full')) };
    await assert.rejects(callerScopeOf({ principal: agent('ada/claude'), session: 's1' }, broken), /the disk is full/);
  });
});
