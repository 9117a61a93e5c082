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

  /**
   * The approval that a call of the last turn waits for, or waited for: then the inbox knows how it was answered. Where several
   * calls wait under one id, only `meant` says which: a yes must never be taken for another call than the one that was shown.
   */
  async approvalOf(session: LastTurn, toolCallId: string, meant?: string): Promise<string> {
    const waiting = this.#turns.of(session.id)?.approvals.of(toolCallId) ?? [];
    const [first, ...more] = waiting.filter((approvalId) => meant === undefined || approvalId === meant);
    if (more.length > 0)
      throw new SignalboxError(
        'approval-unknown',
        `${more.length + 1} calls wait under ${JSON.stringify(toolCallId)}; say which one with "approvalId", as "approval_required" tells it`,
      );
    if (first !== undefined) return first;
    const isMeant = (event: SessionEvent): boolean =>
      event.type === 'approval_required' && (meant === undefined || event.approvalId === meant);
    const asked = await this.#last(session, isMeant, toolCallId);
    if (asked?.type === 'approval_required') return asked.approvalId;
    const which = meant === undefined ? '' : ` with the approval ${JSON.stringify(meant)}`;
    throw new SignalboxError(
      'approval-unknown',
      `no call waits under ${JSON.stringify(toolCallId)}${which}; those that do are told as "approval_required"`,
    );
  }

  /** Answers an agent's question. */
  async answer(session: LastTurn, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    if (this.#turns.of(session.id)?.questions.answer(toolCallId, answers, by) === true) return;
    const answered = await this.#last(session, ({ type }) => type === 'question_answered', toolCallId);
    if (answered?.type === 'question_answered')
      throw new SignalboxError('question-answered', `the question was already answered, by ${answered.by}`);
    throw new SignalboxError(
      'question-unknown',
      `no question waits under ${JSON.stringify(toolCallId)}; those that do are told as "question_prompt"`,
    );
  }

  async #last(
    { id, turnSeq }: LastTurn,
    fits: (event: SessionEvent) => boolean,
    toolCallId: string,
  ): Promise<SessionEvent | undefined> {
    let found: SessionEvent | undefined;
    for await (const event of readEvents(this.#box.sessionStore, id, Math.max(0, turnSeq - 1)))
      if (fits(event) && 'toolCallId' in event && event.toolCallId === toolCallId) found = event;
    return found;
  }
}
