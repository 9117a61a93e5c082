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
const forever = new AbortController().signal;
const range = (from: number, to: number): SessionEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

describe('watchers', () => {
  test('what is newest is at hand for those who have seen everything before it, and only for them', () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', forever);
    assert.equal(watcher.recentAfter(0), undefined, 'nothing is known yet');
    watchers.wake('s', range(5, 6));
    watchers.wake('s', range(7, 9));
    assert.equal(watcher.recentAfter(3), undefined);
    assert.deepEqual(watcher.recentAfter(4), range(5, 9));
    assert.deepEqual(watcher.recentAfter(7), range(8, 9));
    assert.deepEqual(watcher.recentAfter(9), []);
  });

  test('a gap is never handed out: what another process wrote in between is read', () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', forever);
    watchers.wake('s', range(1, 2));
    watchers.wake('s', range(4, 5));
    assert.equal(watcher.recentAfter(2), undefined);
    assert.deepEqual(watcher.recentAfter(3), range(4, 5));
  });

  test('no more than some events are at hand, however many come', () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', forever);
    watchers.wake('s', range(1, 5000));
    assert.equal(watcher.recentAfter(0), undefined);
    assert.deepEqual(watcher.recentAfter(4990), range(4991, 5000));
    assert.ok((watcher.recentAfter(4950)?.length ?? 0) <= 50);
  });

  test('news that comes before the waiting begins is not slept through, and much news is one value', async () => {
    const watchers = new SessionWatchers();
    const watcher = watchers.watch('s', forever);
    const news = watcher.updates[Symbol.asyncIterator]();
    assert.equal((await news.next()).done, false, 'a watcher looks when it enters');
    watchers.wake('s', range(1, 1));
    watchers.wake('s', range(2, 2));
    assert.equal((await news.next()).done, false);
    let woken = false;
    const next = news.next().then(({ done }) => ((woken = true), done));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(woken, false);
    watchers.wake('s', range(3, 3));
    assert.equal(await next, false);
  });

  test('a watcher ends with its signal, with its session, and with all watching; nothing is kept for it afterwards', async () => {
    const watchers = new SessionWatchers();
    const stop = new AbortController();
    const count = async (watcher: ReturnType<SessionWatchers['watch']>): Promise<number> => {
      let times = 0;
      for await (const _ of watcher.updates) times += 1;
      watcher.stop();
      return times;
    };
    const one = count(watchers.watch('s', stop.signal));
    const other = count(watchers.watch('t', forever));
    stop.abort();
    assert.equal(await one, 1);
    assert.deepEqual(watchers.sessions(), ['t']);
    watchers.close();
    assert.ok((await other) >= 1);
    assert.deepEqual(watchers.sessions(), []);
    assert.equal(await count(watchers.watch('s', forever)), 1);
    assert.deepEqual(watchers.sessions(), []);
  });
});
