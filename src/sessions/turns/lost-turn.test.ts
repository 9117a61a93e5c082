import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ann, collect, openSessionFixture } from '../../../test/support/sessions/session-fixture.ts';
import { EventLog } from '../events/event-log.ts';
import { endLostTurn } from './lost-turn.ts';
import { readEvents } from '../events/read-events.ts';
import type { SessionEventBody } from '../events/session-event.ts';
import { SessionPubSub } from '../session-pub-sub.ts';
import { SessionWatchers } from '../events/watchers.ts';

test('endLostTurn ends a turn whose process died, and cancels its open elicitations', async (t) => {
  const place = await openSessionFixture({ turnsAtOnce: 0 });
  t.after(() => place.close());
  const { box, sessions } = place;
  const store = box.sessionStore;
  const pubSub = new SessionPubSub(box.shared.pubSub);
  const log = new EventLog({ store, watchers: new SessionWatchers(), pubSub, redact: (text) => text });
  const { id } = await sessions.create({}, ann);
  const { turnId } = await sessions.send(id, 'go', ann);
  const turn = await store.claim(id);
  assert.equal(turn?.id, turnId);
  const form = { server: 's', mode: 'form', message: '?', requestedSchema: {}, expiresAt: '' } as const;
  const required = (elicitationId: string): SessionEventBody => {
    return { type: 'elicitation_required', toolCallId: 'c', elicitationId, ...form };
  };
  const answered = { toolCallId: 'c', elicitationId: 'elic_1', action: 'accept', by: 'ann' } as const;
  await log.write(id, [{ type: 'user_message', turnId, content: 'go', by: 'ann' }], { begins: true });
  await log.write(id, [required('elic_1'), { type: 'elicitation_resolved', ...answered }, required('elic_2')], {
    waits: true,
  });
  assert.deepEqual(
    (await sessions.elicitations()).map(({ elicitationId }) => elicitationId),
    ['elic_2'],
  );

  await endLostTurn(box, log, turn);
  const events = await collect(readEvents(store, id, 4));
  assert.deepEqual(
    events.map((event) => (event.type === 'elicitation_resolved' ? [event.elicitationId, event.action] : event.type)),
    [['elic_2', 'cancel'], 'error', 'done'],
  );
  assert.deepEqual(await sessions.elicitations(), []);
  pubSub.close();
});
