import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionEvent } from './session-event.ts';
import { Watchers } from './watchers.ts';

const event = (seq: number): SessionEvent => ({
  seq,
  sessionId: 's',
  at: '2026-01-01T00:00:00.000Z',
  type: 'text_delta',
  text: `${seq}`,
});
const range = (from: number, to: number): SessionEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

describe('watchers', () => {
  test('what is newest is at hand for those who have seen everything before it, and only for them', () => {
    const watchers = new Watchers();
    const watcher = watchers.enter('s');
    assert.equal(watcher.recentAfter(0), undefined, 'nothing is known yet');
    watchers.wake('s', range(5, 6));
    watchers.wake('s', range(7, 9));
    assert.equal(watcher.recentAfter(3), undefined);
    assert.deepEqual(watcher.recentAfter(4), range(5, 9));
    assert.deepEqual(watcher.recentAfter(7), range(8, 9));
    assert.deepEqual(watcher.recentAfter(9), []);
  });

  test('a gap is never handed out: what another process wrote in between is read', () => {
    const watchers = new Watchers();
    const watcher = watchers.enter('s');
    watchers.wake('s', range(1, 2));
    watchers.wake('s', range(4, 5));
    assert.equal(watcher.recentAfter(2), undefined);
    assert.deepEqual(watcher.recentAfter(3), range(4, 5));
  });

  test('no more than some events are at hand, however many come', () => {
    const watchers = new Watchers();
    const watcher = watchers.enter('s');
    watchers.wake('s', range(1, 5000));
    assert.equal(watcher.recentAfter(0), undefined);
    assert.deepEqual(watcher.recentAfter(4990), range(4991, 5000));
    assert.ok((watcher.recentAfter(4950)?.length ?? 0) <= 50);
  });

  test('news that come before the waiting begins are not slept through, and nothing is kept for a session that nobody watches', async () => {
    const watchers = new Watchers();
    const watcher = watchers.enter('s');
    const version = watcher.version();
    watchers.wake('s', range(1, 1));
    await watcher.newsSince(version, new AbortController().signal);
    watcher.leave();
    assert.deepEqual(watchers.sessions(), []);
    watchers.close();
    assert.ok(watchers.enter('s').isOver());
  });
});
