import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../test/mcp-servers/boxed.ts';
import { TopicListeners } from '../store/local-pub-sub.ts';
import { GrowthAnnouncer } from './journal-growth.ts';
import type { PubSub } from './store/pub-sub.ts';

/** A post whose notes are counted, and on which others can be heard. */
function countedPost(): { readonly post: PubSub; readonly sent: () => number; others(): void; gap(): void } {
  const listeners = new TopicListeners();
  let sent = 0;
  const post: PubSub = {
    isCrossProcess: true,
    async publish() {
      sent += 1;
    },
    subscribe: (topic, listener) => listeners.subscribe(topic, listener),
    onGap: (listener) => listeners.onGap(listener),
  };
  return {
    post,
    sent: () => sent,
    others: () => listeners.deliver('journal', 'another'),
    gap: () => listeners.notifyGap(),
  };
}

test('an entry is told of, though another process told of the journal just when it was written', async () => {
  const { post, sent, others } = countedPost();
  const announcer = new GrowthAnnouncer(post);
  others();
  announcer.announce();
  // Long enough after the first entry for the note of another to have told of it, and not of the second.
  await wait(12);
  announcer.announce();
  others();
  await until(() => sent() > 0, 'the second one is told of');
  await announcer.close();
});

test('an entry is told of, though notes of others were missed meanwhile', async () => {
  const { post, sent, others, gap } = countedPost();
  const announcer = new GrowthAnnouncer(post);
  others();
  announcer.announce();
  await wait(12);
  gap();
  await until(() => sent() > 0, 'it is told of');
  await announcer.close();
});

test('an entry is not told of again when another process told of the journal after it', async () => {
  const { post, sent, others } = countedPost();
  const announcer = new GrowthAnnouncer(post);
  others();
  announcer.announce();
  await wait(12);
  const before = sent();
  others();
  await wait(100);
  assert.equal(sent(), before);
  await announcer.close();
});
