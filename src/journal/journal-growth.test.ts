import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../test/mcp-servers/boxed.ts';
import { TopicListeners } from '../store/local-pub-sub.ts';
import { GrowthAnnouncer } from './journal-growth.ts';
import type { PubSub } from './store/pub-sub.ts';

/** A pub/sub that counts the messages of this process, and simulates a message of another process and a gap. */
function countingPubSub(): {
  readonly pubSub: PubSub;
  readonly sent: () => number;
  receive(): void;
  gap(): void;
} {
  const listeners = new TopicListeners();
  let sent = 0;
  const pubSub: PubSub = {
    isCrossProcess: true,
    async publish() {
      sent += 1;
    },
    subscribe: (topic, listener) => listeners.subscribe(topic, listener),
    onGap: (listener) => listeners.onGap(listener),
  };
  return {
    pubSub,
    sent: () => sent,
    receive: () => listeners.deliver('journal', 'another'),
    gap: () => listeners.notifyGap(),
  };
}

describe('GrowthAnnouncer', () => {
  test('announces an entry that was written at the time of a message from another process', async () => {
    const { pubSub, sent, receive } = countingPubSub();
    const announcer = new GrowthAnnouncer(pubSub);
    receive();
    announcer.announce();
    // The message of the other process covers the first entry, and not the second.
    await wait(12);
    announcer.announce();
    receive();
    await until(() => sent() > 0, 'the second entry is announced');
    await announcer.close();
  });

  test('announces an entry although messages of other processes were missed', async () => {
    const { pubSub, sent, receive, gap } = countingPubSub();
    const announcer = new GrowthAnnouncer(pubSub);
    receive();
    announcer.announce();
    await wait(12);
    gap();
    await until(() => sent() > 0, 'the entry is announced');
    await announcer.close();
  });

  test('does not announce an entry when another process sent a message after it', async () => {
    const { pubSub, sent, receive } = countingPubSub();
    const announcer = new GrowthAnnouncer(pubSub);
    receive();
    announcer.announce();
    await wait(12);
    const before = sent();
    receive();
    await wait(100);
    assert.equal(sent(), before);
    await announcer.close();
  });
});
