import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSessionLookup, createSessionDescription } from '../../../../test/support/sessions/session-lookup.ts';
import type { Principal } from '../../../core/principal.ts';
import type { ToolCaller } from './caller-scope.ts';
import { listActiveSessions, listSessions, sessionCount, sessionDetails } from './session-tools.ts';

const ada: Principal = { id: 'ada', kind: 'human' };
const bob: Principal = { id: 'bob', kind: 'agent' };
const lookup = createSessionLookup([
  createSessionDescription('s1', ada),
  createSessionDescription('s2', ada, {
    cwd: '/tmp',
    state: 'waiting',
    model: 'opus',
    forkedFrom: 's1',
    lastTurn: 'end',
  }),
  createSessionDescription('s3', bob, { state: 'running' }),
]);
const adasAgent: ToolCaller = { principal: { id: 'ada/claude', kind: 'agent' }, session: 's1' };
const ids = ({ sessions }: { readonly sessions: readonly { readonly id: string }[] }): string[] =>
  sessions.map(({ id }) => id);

describe('sessionCount', () => {
  const dependencies = {
    sessions: lookup,
    directory: '/tmp',
    claudeTranscripts: async (cwd: string) => (cwd === '/srv' ? 5 : 0),
  };

  test('counts the caller’s sessions and Claude Code’s transcripts of a directory', async () => {
    assert.deepEqual(await sessionCount(dependencies, { cwd: '/srv' }, adasAgent), {
      count: 6,
      cwd: '/srv',
      signalbox: 1,
      claude_code: 5,
    });
    const human = { principal: ada, session: undefined };
    assert.equal((await sessionCount(dependencies, { cwd: '/srv' }, human)).signalbox, 2);
  });

  test('uses the directory of the session, or the default directory, by default', async () => {
    assert.equal((await sessionCount(dependencies, {}, adasAgent)).cwd, '/srv');
    const { count, cwd } = await sessionCount(dependencies, {}, { principal: ada, session: undefined });
    assert.deepEqual([count, cwd], [1, '/tmp']);
    assert.equal((await sessionCount(dependencies, { cwd: '../tmp' }, adasAgent)).cwd, '/tmp');
  });
});

describe('listSessions', () => {
  test('returns the caller’s sessions page by page, without owners', async () => {
    const first = await listSessions(lookup, { limit: 1 }, adasAgent);
    assert.deepEqual(first, {
      sessions: [
        {
          id: 's1',
          title: 'about s1',
          agent: 'claude',
          cwd: '/srv',
          state: 'idle',
          activeAt: '2026-11-15T11:00:00.000Z',
        },
      ],
      next: '1',
    });
    const second = await listSessions(lookup, { limit: 1, after: first.next }, adasAgent);
    assert.deepEqual([ids(second), second.next], [['s2'], undefined]);
    assert.deepEqual(ids(await listSessions(lookup, { limit: 9, cwd: '/tmp' }, adasAgent)), ['s2']);
    assert.deepEqual(ids(await listSessions(lookup, { limit: 9 }, { principal: bob, session: 's1' })), ['s3']);
  });
});

describe('listActiveSessions', () => {
  test('returns the caller’s sessions that run or wait', async () => {
    assert.deepEqual(ids(await listActiveSessions(lookup, adasAgent)), ['s2']);
    assert.deepEqual(ids(await listActiveSessions(lookup, { principal: ada, session: undefined })), ['s2', 's3']);
  });
});

describe('sessionDetails', () => {
  test('returns all details of a session of the caller', async () => {
    assert.deepEqual(await sessionDetails(lookup, { id: 's2' }, adasAgent), {
      id: 's2',
      title: 'about s2',
      agent: 'claude',
      model: 'opus',
      cwd: '/tmp',
      state: 'waiting',
      permissionMode: 'default',
      owner: 'ada',
      createdAt: '2026-11-15T10:00:00.000Z',
      activeAt: '2026-11-15T11:00:00.000Z',
      queued: 0,
      forkedFrom: 's1',
      lastTurn: 'end',
    });
  });

  test('rejects sessions of others and unknown sessions with the same message', async () => {
    const rejectionOf = async (id: string): Promise<string> => {
      const error: unknown = await sessionDetails(lookup, { id }, adasAgent).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      return error.message.replace(id, 'ID');
    };
    assert.equal(await rejectionOf('s3'), await rejectionOf('s9'));
  });
});
