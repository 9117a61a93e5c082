import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JournalEvent } from '../entries/journal-event.ts';
import { approvalWaitMs } from './approval-wait.ts';

const moment = (second: number): string => new Date(second * 1000).toISOString();
/** The properties of an approval event that `approvalWaitMs` reads. */
const entry = (type: 'ApprovalRequested' | 'ApprovalResolved', second: number, approvalId = 'a'): JournalEvent =>
  ({ type, approvalId, at: moment(second) }) as JournalEvent;
const asked = (second: number, id?: string): JournalEvent => entry('ApprovalRequested', second, id);
const answered = (second: number, id?: string): JournalEvent => entry('ApprovalResolved', second, id);

describe('approvalWaitMs', () => {
  // From second 10 to second 20.
  const call = { at: moment(20), durationMs: 10_000 };

  test('returns the time from question to answer, summed over all questions', () => {
    assert.equal(approvalWaitMs(call, [asked(11), answered(15)]), 4000);
    assert.equal(approvalWaitMs(call, [asked(11), answered(13), asked(14, 'b'), answered(17, 'b')]), 5000);
  });

  test('counts an unanswered question until the end of the call', () => {
    assert.equal(approvalWaitMs(call, [asked(12)]), 8000);
    assert.equal(approvalWaitMs(call, [asked(12), answered(25)]), 8000);
  });

  test('returns `undefined` when the call did not wait, or its duration is unknown', () => {
    assert.equal(approvalWaitMs(call, []), undefined);
    const earlier = {
      id: 'a',
      requestedAt: moment(1),
      answer: { by: { id: 'x', kind: 'human' }, at: moment(9) },
    } as const;
    assert.equal(approvalWaitMs(call, [], earlier), undefined);
    assert.equal(approvalWaitMs({ ...call, durationMs: null }, [asked(12)]), undefined);
  });

  test('counts only the overlap with a question that an identical earlier call asked', () => {
    const joined = {
      id: 'a',
      requestedAt: moment(5),
      answer: { by: { id: 'x', kind: 'human' }, at: moment(13) },
    } as const;
    assert.equal(approvalWaitMs(call, [], joined), 3000);
    assert.equal(approvalWaitMs(call, [asked(11), answered(13)], joined), 2000);
  });
});
