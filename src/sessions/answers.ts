import type { SessionRecord } from '../journal/session-store.ts';
import { SignalboxError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';
import { readEvents } from './read-events.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionEvent } from './session-event.ts';
import type { Turns } from './turns.ts';

type LastTurn = Pick<SessionRecord, 'id' | 'turnSeq'>;

/** Finds what a human's answer is an answer to. */
export class Answers {
  readonly #box: Pick<SessionBox, 'sessionStore'>;
  readonly #turns: Pick<Turns, 'of'>;

  constructor(box: Pick<SessionBox, 'sessionStore'>, turns: Pick<Turns, 'of'>) {
    this.#box = box;
    this.#turns = turns;
  }

  /** The approval that a call of the last turn waits for, or waited for: then the inbox knows how it was answered. */
  async approvalOf(session: LastTurn, toolCallId: string): Promise<string> {
    const waiting = this.#turns.of(session.id)?.approvals.of(toolCallId);
    if (waiting !== undefined) return waiting;
    const asked = await this.#last(session, 'approval_required', toolCallId);
    if (asked?.type === 'approval_required') return asked.approvalId;
    throw new SignalboxError(
      'approval-unknown',
      `no call waits under ${JSON.stringify(toolCallId)}; those that do are told as "approval_required"`,
    );
  }

  /** Answers an agent's question. */
  async answer(session: LastTurn, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    if (this.#turns.of(session.id)?.questions.answer(toolCallId, answers, by) === true) return;
    const answered = await this.#last(session, 'question_answered', toolCallId);
    if (answered?.type === 'question_answered')
      throw new SignalboxError('question-answered', `the question was already answered, by ${answered.by}`);
    throw new SignalboxError(
      'question-unknown',
      `no question waits under ${JSON.stringify(toolCallId)}; those that do are told as "question_prompt"`,
    );
  }

  async #last(
    { id, turnSeq }: LastTurn,
    type: SessionEvent['type'],
    toolCallId: string,
  ): Promise<SessionEvent | undefined> {
    let found: SessionEvent | undefined;
    for await (const event of readEvents(this.#box.sessionStore, id, Math.max(0, turnSeq - 1)))
      if (event.type === type && 'toolCallId' in event && event.toolCallId === toolCallId) found = event;
    return found;
  }
}
