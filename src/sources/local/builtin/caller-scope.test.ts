import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSessionLookup, createSessionDescription } from '../../../../test/support/sessions/session-lookup.ts';
import type { Principal } from '../../../core/principal.ts';
import { callerScopeOf } from './caller-scope.ts';

const ada: Principal = { id: 'ada', kind: 'human' };
const sessions = createSessionLookup([
  createSessionDescription('s1', ada),
  createSessionDescription('s2', { id: 'ada/x', kind: 'agent' }),
]);
const agent = (id: string): Principal => ({ id, kind: 'agent' });

describe('callerScopeOf', () => {
  test('returns the owner of the session for an agent inside that session', async () => {
    const scope = await callerScopeOf({ principal: agent('ada/claude'), session: 's1' }, sessions);
    assert.deepEqual([scope.owner, scope.session?.id, scope.only], [ada, 's1', 'ada']);
  });

  test('returns the caller itself when the session is not its own, or its id is only similar', async () => {
    for (const [id, session] of [
      ['bob', 's1'],
      ['ada/gpt', 's1'],
      ['ada', 's1'],
      ['ada/claude', 's2'],
      ['ada/claude', 'none'],
      ['ada/claude', undefined],
    ] as const) {
      const scope = await callerScopeOf({ principal: agent(id), session }, sessions);
      assert.deepEqual([scope.owner.id, scope.session, scope.only], [id, undefined, id]);
    }
  });

  test('limits nothing for a human', async () => {
    assert.deepEqual(await callerScopeOf({ principal: ada, session: undefined }, sessions), {
      owner: ada,
      session: undefined,
    });
  });

  test('rejects when the session cannot be read', async () => {
    const broken = { ...sessions, get: () => Promise.reject(new Error('the disk is full')) };
    await assert.rejects(callerScopeOf({ principal: agent('ada/claude'), session: 's1' }, broken), /the disk is full/);
  });
});
