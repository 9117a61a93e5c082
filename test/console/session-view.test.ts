import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent } from '../../console/src/api/schema.ts';
import { emptyView, applyEvents } from '../../console/src/pages/sessions/conversation/session-view.ts';

type Happening = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, 'seq' | 'sessionId' | 'at'>
    : never
  : never;

const call = { toolCallId: 'c1', toolName: 'mcp__a__b', server: 'a', tool: 'b' };
const asked = { toolCallId: 'c1', toolName: 'mcp__a__b', input: {}, reason: 'r', rule: 'x', expiresAt: '' };
const form = {
  toolCallId: 'c1',
  elicitationId: 'e1',
  server: 'a',
  mode: 'form',
  message: 'Who?',
  expiresAt: '',
} as const;
const happened: readonly Happening[] = [
  { type: 'user_message', turnId: 't1', content: 'hello', by: 'ann' },
  { type: 'thinking_delta', text: 'hm' },
  { type: 'text_delta', text: 'Let me ' },
  { type: 'text_delta', text: 'look.' },
  { type: 'tool_call_start', ...call },
  { type: 'tool_call_delta', toolCallId: 'c1', inputJson: '{"p":' },
  { type: 'tool_call_delta', toolCallId: 'c1', inputJson: '1}' },
  { type: 'tool_call_end', toolCallId: 'c1', input: { p: 1 } },
  { type: 'approval_required', approvalId: 'a1', ...asked },
  { type: 'approval_resolved', toolCallId: 'c1', approvalId: 'a1', decision: 'approved', by: 'ann' },
  { type: 'tool_progress', toolCallId: 'c1', progress: { progress: 1 } },
  { type: 'tool_result', toolCallId: 'c1', outcome: 'completed', content: [], durationMs: 3, callId: 'call_1' },
  { type: 'session_status', permissionMode: 'default', servers: [] },
  { type: 'done', reason: 'end' },
  { type: 'user_message', turnId: 't2', content: 'again', by: 'ann' },
  { type: 'tool_call_start', ...call },
  { type: 'question_prompt', toolCallId: 'c1', questions: [] },
  { type: 'question_answered', toolCallId: 'c1', by: 'bob' },
  { type: 'elicitation_required', ...form },
  { type: 'elicitation_resolved', toolCallId: 'c1', elicitationId: 'e1', action: 'accept', by: 'ann' },
  { type: 'sampling_result', toolCallId: 'c1', server: 'a', model: 'm', content: 'yes' },
  { type: 'error', code: 'turn-lost', message: 'lost' },
  { type: 'done', reason: 'error' },
];
const events: SessionEvent[] = happened.map((each, index) => ({ ...each, seq: index + 1, sessionId: 's', at: '' }));
const whole = applyEvents(emptyView, events);

describe('a session as the console shows it', () => {
  it('has each message with all that the agent did with it', () => {
    const [first, second] = whole.turns;
    assert.deepEqual(
      first?.parts.map((part) =>
        part.kind === 'call' ? [part.inputJson, part.input, part.result?.callId] : [part.kind],
      ),
      [['thinking'], ['text'], ['{"p":1}', { p: 1 }, 'call_1']],
    );
    assert.equal(first?.done, 'end');
    const made = first?.parts[2];
    assert.ok(made?.kind === 'call');
    assert.deepEqual(made.approvals[0]?.resolved, { decision: 'approved', by: 'ann' });
    const later = second?.parts[0];
    assert.ok(
      later?.kind === 'call' && later.answeredBy === 'bob' && later.result === undefined,
      'the same id, another call',
    );
    assert.deepEqual(
      later.elicitations.map(({ asked: { message }, resolved }) => [message, resolved?.by]),
      [['Who?', 'ann']],
    );
    assert.deepEqual(
      later.samples.map(({ content }) => content),
      ['yes'],
    );
    assert.equal(second?.parts[1]?.kind, 'error');
    assert.equal(whole.status?.permissionMode, 'default');
  });

  it('is the same however its events come in, and when some are told twice', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: events.length }), { maxLength: 6 }), fc.nat({ max: 5 }), (cuts, again) => {
        let view = emptyView;
        let from = 0;
        for (const to of [...cuts.toSorted((one, other) => one - other), events.length]) {
          view = applyEvents(view, events.slice(Math.max(0, from - again), to));
          from = to;
        }
        assert.deepEqual(view, whole);
      }),
      { seed: 7 },
    );
  });

  it('leaves the turns alone that nothing happened in', () => {
    const before = applyEvents(emptyView, events.slice(0, 15));
    assert.equal(applyEvents(before, events.slice(15)).turns[0], before.turns[0]);
  });
});
