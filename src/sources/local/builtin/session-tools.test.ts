import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSessionLookup, createSessionDescription } from '../../../../test/support/session-lookup.ts';
import type { Principal } from '../../../core/principal.ts';
import type { ToolCaller } from './caller-scope.ts';
import { listActiveSessions, listSessions, sessionCount, sessionDetails } from './session-tools.ts';

const ada: Principal = { id: 'ada', kind: 'human' };
const bob: Principal = { id: 'bob', kind: 'agent' };
const book = createSessionLookup([
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

describe('get_session_count', () => {
  const dependencies = {
    sessions: book,
    directory: '/tmp',
    claudeTranscripts: async (cwd: string) => (cwd === '/srv' ? 5 : 0),
  };

  test('counts the caller’s own sessions and Claude Code’s transcripts of one directory', async () => {
    assert.deepEqual(await sessionCount(dependencies, { cwd: '/srv' }, adasAgent), {
      count: 6,
      cwd: '/srv',
      signalbox: 1,
      claude_code: 5,
    });
    const human = { principal: ada, session: undefined };
    assert.equal((await sessionCount(dependencies, { cwd: '/srv' }, human)).signalbox, 2);
  });

  test('counts in the directory of the session, or in the default one, where none is given', async () => {
    assert.equal((await sessionCount(dependencies, {}, adasAgent)).cwd, '/srv');
    const { count, cwd } = await sessionCount(dependencies, {}, { principal: ada, session: undefined });
    assert.deepEqual([count, cwd], [1, '/tmp']);
    assert.equal((await sessionCount(dependencies, { cwd: '../tmp' }, adasAgent)).cwd, '/tmp');
  });
});

describe('list_sessions', () => {
  test('lists the caller’s own, page by page, without saying whose they are', async () => {
    const first = await listSessions(book, { limit: 1 }, adasAgent);
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
    const second = await listSessions(book, { limit: 1, after: first.next }, adasAgent);
    assert.deepEqual([ids(second), second.next], [['s2'], undefined]);
    assert.deepEqual(ids(await listSessions(book, { limit: 9, cwd: '/tmp' }, adasAgent)), ['s2']);
    assert.deepEqual(ids(await listSessions(book, { limit: 9 }, { principal: bob, session: 's1' })), ['s3']);
  });
});

describe('list_active_sessions', () => {
  test('lists those of the caller that run or wait', async () => {
    assert.deepEqual(ids(await listActiveSessions(book, adasAgent)), ['s2']);
    assert.deepEqual(ids(await listActiveSessions(book, { principal: ada, session: undefined })), ['s2', 's3']);
  });
});

describe('get_session_details', () => {
  test('tells everything about one of the caller’s own', async () => {
    assert.deepEqual(await sessionDetails(book, { id: 's2' }, adasAgent), {
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

  test('refuses another’s in the same words as one that is not there', async () => {
    const refusal = async (id: string): Promise<string> => {
      const error: unknown = await sessionDetails(book, { id }, adasAgent).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof Error);
      return error.message.replace(id, 'ID');
    };
    assert.equal(await refusal('s3'), await refusal('s9'));
  });
});
