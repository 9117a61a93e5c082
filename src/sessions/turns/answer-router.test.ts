import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ann, eventsUntil, openSessionFixture } from '../../../test/support/sessions/session-fixture.ts';
import type { SessionEvent } from '../events/session-event.ts';

type Required = Extract<SessionEvent, { type: 'approval_required' }>;

describe('AnswerRouter', () => {
  test('never applies an approval to another call with the same id', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const { sessions, notes } = place;
    place.script = async function* ({ tools, signal }) {
      tools.list();
      const write = (text: string) => tools.call('mcp__notes__write', { text }, { toolCallId: 'call_0', signal });
      await Promise.all([write('harmless'), write('harmful')]);
      yield { type: 'done', reason: 'end' };
    };
    const { id } = await sessions.create({ agent: 'scripted' }, ann);
    await sessions.send(id, 'go', ann);
    let count = 0;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'approval_required' && (count += 1) === 2);
    const required = events.filter((event): event is Required => event.type === 'approval_required');
    const idOf = (text: string): string =>
      required.find(({ input }) => input['text'] === text)?.approvalId ?? assert.fail(text);
    const harmless = idOf('harmless');

    const ambiguous = { message: /2 pending calls have the id "call_0"; set "approvalId"/ };
    await assert.rejects(sessions.approve(id, 'call_0', { by: ann }), ambiguous);
    await assert.rejects(sessions.deny(id, 'call_0', { by: ann }), ambiguous);
    const unknown = { code: 'approval-unknown' };
    await assert.rejects(sessions.approve(id, 'call_0', { by: ann, approvalId: 'appr_none' }), unknown);
    await assert.rejects(sessions.approve(id, 'call_1', { by: ann, approvalId: harmless }), unknown);

    await sessions.approve(id, 'call_0', { by: ann, approvalId: harmless, remember: 'nothing' });
    await eventsUntil(sessions, id, ({ type }) => type === 'approval_resolved');
    // A late answer to the shown call; the other call still waits.
    const late = sessions.approve(id, 'call_0', { by: ann, approvalId: harmless });
    await assert.rejects(late, { code: 'approval-answered' });
    await sessions.deny(id, 'call_0', { by: ann, approvalId: idOf('harmful') });
    await eventsUntil(sessions, id, ({ type }) => type === 'done');
    assert.deepEqual(notes, ['harmless']);
  });

  test('applies an answer to the displayed question, also when a model reuses its id', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const { sessions } = place;
    const answers: unknown[] = [];
    place.script = async function* ({ ask }) {
      const askOne = (question: string) =>
        ask('call_0', [{ question, header: question, options: [], multiSelect: false }]);
      answers.push(await Promise.all([askOne('Tea?'), askOne('Delete it all?')]));
      answers.push(await askOne('Sugar?'));
      yield { type: 'done', reason: 'end' };
    };
    const { id } = await sessions.create({ agent: 'scripted' }, ann);
    await sessions.send(id, 'go', ann);
    const prompted = (count: number) => {
      let seen = 0;
      return eventsUntil(sessions, id, ({ type }) => type === 'question_prompt' && (seen += 1) === count, 0);
    };
    await prompted(1);
    await sessions.answer(id, 'call_0', { 'Tea?': 'yes' }, ann);
    await prompted(2);
    await sessions.answer(id, 'call_0', { 'Sugar?': 'no' }, ann);
    await eventsUntil(sessions, id, ({ type }) => type === 'done');
    assert.deepEqual(answers, [[{ 'Tea?': 'yes' }, undefined], { 'Sugar?': 'no' }]);
  });
});
