import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SessionEvent } from './session-event.ts';
import { SessionWatchers } from './watchers.ts';

const event = (seq: number): SessionEvent => ({
  seq,
  sessionId: 's',
  at: '2026-01-01T00:00:00.000Z',
  type: 'text_delta',
  text: `${seq}`,
});
const neverAborted = new AbortController().signal;
const range = (from: number, to: number): SessionEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

describe('SessionWatchers', () => {
  test('returns the recent events only to a watcher that has seen all earlier events', () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', neverAborted);
    assert.equal(watcher.recentAfter(0), undefined, 'no events are cached yet');
    watchers.wake('s', range(5, 6));
    watchers.wake('s', range(7, 9));
    assert.equal(watcher.recentAfter(3), undefined);
    assert.deepEqual(watcher.recentAfter(4), range(5, 9));
    assert.deepEqual(watcher.recentAfter(7), range(8, 9));
    assert.deepEqual(watcher.recentAfter(9), []);
  });

  test('never returns events with a gap, such as after a write of another process', () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', neverAborted);
    watchers.wake('s', range(1, 2));
    watchers.wake('s', range(4, 5));
    assert.equal(watcher.recentAfter(2), undefined);
    assert.deepEqual(watcher.recentAfter(3), range(4, 5));
  });

  test('caches a limited number of recent events', () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', neverAborted);
    watchers.wake('s', range(1, 5000));
    assert.equal(watcher.recentAfter(0), undefined);
    assert.deepEqual(watcher.recentAfter(4990), range(4991, 5000));
    assert.ok((watcher.recentAfter(4950)?.length ?? 0) <= 50);
  });

  test('yields at once and after each wake; several wakes yield one value', async () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', neverAborted);
    const updates = watcher.updates[Symbol.asyncIterator]();
    assert.equal((await updates.next()).done, false, 'a new watcher reads the existing events');
    watchers.wake('s', range(1, 1));
    watchers.wake('s', range(2, 2));
    assert.equal((await updates.next()).done, false);
    let isWoken = false;
    const next = updates.next().then(({ done }) => ((isWoken = true), done));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isWoken, false);
    watchers.wake('s', range(3, 3));
    assert.equal(await next, false);
  });

  test('ends a watcher with its signal and with `close`, and removes it', async () => {
    const watchers = new SessionWatchers();
    const stop = new AbortController();
    const count = async (watcher: ReturnType<SessionWatchers['watch']>): Promise<number> => {
      let times = 0;
      for await (const _ of watcher.updates) times += 1;
      watcher.stop();
      return times;
    };
    const one = count(watchers.watch('s', stop.signal));
    const other = count(watchers.watch('t', neverAborted));
    stop.abort();
    assert.equal(await one, 1);
    assert.deepEqual(watchers.sessions(), ['t']);
    watchers.close();
    assert.ok((await other) >= 1);
    assert.deepEqual(watchers.sessions(), []);
    assert.equal(await count(watchers.watch('s', neverAborted)), 1);
    assert.deepEqual(watchers.sessions(), []);
  });
});
