import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { SessionEvent } from '../../console/src/api/schema.ts';
import { emptyView, applyEvents } from '../../console/src/pages/sessions/conversation/session-view.ts';

/** An event without the fields that every event has. */
type EventContent = SessionEvent extends infer Event
  ? Event extends SessionEvent
    ? Omit<Event, 'seq' | 'sessionId' | 'at'>
    : never
  : never;

const call = { toolCallId: 'c1', toolName: 'mcp__a__b', server: 'a', tool: 'b' };
const approval = { toolCallId: 'c1', toolName: 'mcp__a__b', input: {}, reason: 'r', rule: 'x', expiresAt: '' };
const form = {
  toolCallId: 'c1',
  elicitationId: 'e1',
  server: 'a',
  mode: 'form',
  message: 'Who?',
  expiresAt: '',
} as const;
const contents: readonly EventContent[] = [
  { type: 'user_message', turnId: 't1', content: 'hello', by: 'ann' },
  { type: 'thinking_delta', text: 'hm' },
  { type: 'text_delta', text: 'Let me ' },
  { type: 'text_delta', text: 'look.' },
  { type: 'tool_call_start', ...call },
  { type: 'tool_call_delta', toolCallId: 'c1', inputJson: '{"p":' },
  { type: 'tool_call_delta', toolCallId: 'c1', inputJson: '1}' },
  { type: 'tool_call_end', toolCallId: 'c1', input: { p: 1 } },
  { type: 'approval_required', approvalId: 'a1', ...approval },
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
const events: SessionEvent[] = contents.map((content, index) => ({
  ...content,
  seq: index + 1,
  sessionId: 's',
  at: '',
}));
const completeView = applyEvents(emptyView, events);

describe('the view of a session', () => {
  it('contains for each message the output, calls and questions of its turn', () => {
    const [first, second] = completeView.turns;
    assert.deepEqual(
      first?.parts.map((part) =>
        part.kind === 'call' ? [part.inputJson, part.input, part.result?.callId] : [part.kind],
      ),
      [['thinking'], ['text'], ['{"p":1}', { p: 1 }, 'call_1']],
    );
    assert.equal(first?.done, 'end');
    const firstCall = first?.parts[2];
    assert.ok(firstCall?.kind === 'call');
    assert.deepEqual(firstCall.approvals[0]?.resolved, { decision: 'approved', by: 'ann' });
    const secondCall = second?.parts[0];
    assert.ok(
      secondCall?.kind === 'call' && secondCall.answeredBy === 'bob' && secondCall.result === undefined,
      'a call in another turn is separate, even with the same id',
    );
    assert.deepEqual(
      secondCall.elicitations.map(({ asked: { message }, resolved }) => [message, resolved?.by]),
      [['Who?', 'ann']],
    );
    assert.deepEqual(
      secondCall.samples.map(({ content }) => content),
      ['yes'],
    );
    assert.equal(second?.parts[1]?.kind, 'error');
    assert.equal(completeView.status?.permissionMode, 'default');
  });

  it('is the same for any batches of its events, also with repeated events', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: events.length }), { maxLength: 6 }), fc.nat({ max: 5 }), (cuts, repeated) => {
        let view = emptyView;
        let from = 0;
        for (const to of [...cuts.toSorted((one, other) => one - other), events.length]) {
          view = applyEvents(view, events.slice(Math.max(0, from - repeated), to));
          from = to;
        }
        assert.deepEqual(view, completeView);
      }),
      { seed: 7 },
    );
  });

  it('reuses the objects of turns without new events', () => {
    const before = applyEvents(emptyView, events.slice(0, 15));
    assert.equal(applyEvents(before, events.slice(15)).turns[0], before.turns[0]);
  });
});
