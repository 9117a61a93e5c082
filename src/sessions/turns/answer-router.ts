import { randomUUID } from 'node:crypto';
import type { SessionRecord } from '../../journal/store/session-store.ts';
import { type ErrorCode, SignalboxError, messageOf } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Principal } from '../../core/principal.ts';
import { readEvents } from '../events/read-events.ts';
import type { SessionBox } from '../session-box.ts';
import type { SessionEvent } from '../events/session-event.ts';
import type { SessionPubSub } from '../session-pub-sub.ts';
import { elicitationClosedError } from './turn-elicitations.ts';
import type { RunningTurn } from './running-turn.ts';
import type { TurnRunner } from './turn-runner.ts';

type LastTurn = Pick<SessionRecord, 'id' | 'turnSeq' | 'turn'>;
type Problem = { readonly code: string; readonly message: string };

/** The dependencies of an answer router. */
interface AnswerRouterOptions {
  readonly box: Pick<SessionBox, 'sessionStore' | 'secrets'>;
  readonly turns: Pick<TurnRunner, 'find'>;
  readonly pubSub: SessionPubSub;
}

/** The maximum time until the process that runs the turn confirms a forwarded answer. */
const replyTimeoutMs = 5000;

/** Delivers a human's answer to the turn that waits for it, in this process or another one. */
export class AnswerRouter {
  readonly #parts: AnswerRouterOptions;
  /** The callbacks of forwarded answers that are not confirmed yet, by message id. */
  readonly #forwarded = new Map<string, (problem: Problem | undefined) => void>();

  constructor(parts: AnswerRouterOptions) {
    const { pubSub, turns } = parts;
    this.#parts = parts;
    pubSub.on('answered', ({ id, problem }) => this.#forwarded.get(id)?.(problem));
    pubSub.on('answer', ({ id, session, toolCallId, answers, by }) =>
      this.#accept(id, turns.find(session), ({ questions }) => {
        if (!questions.answer(toolCallId, answers, by)) throw unknownQuestionError(toolCallId);
      }),
    );
    pubSub.on('elicitation', ({ id, session, elicitationId, answer, by }) =>
      this.#accept(id, turns.find(session), ({ elicitations }) => {
        if (!elicitations.answer(elicitationId, answer, by)) throw unknownElicitationError(elicitationId);
      }),
    );
  }

  /** Accepts an answer that another process forwarded, and replies to that process with the result. */
  #accept(id: string, turn: RunningTurn | undefined, accept: (turn: RunningTurn) => void): void {
    // Another process runs the turn.
    if (turn === undefined) return;
    let problem: Problem | undefined;
    try {
      accept(turn);
    } catch (error) {
      problem = error instanceof SignalboxError ? error : { code: 'store-unavailable', message: messageOf(error) };
    }
    const why = problem === undefined ? {} : { problem: { code: problem.code, message: problem.message } };
    void this.#parts.pubSub.publish('answered', { id, ...why });
  }

  /**
   * Returns the approval that a call of the last turn waits for, or the last one it waited for. When several calls with
   * one id wait, `expected` must select one, so that a yes never applies to a call that was not shown.
   */
  async findApproval(session: LastTurn, toolCallId: string, expected?: string): Promise<string> {
    const open = new Set<string>();
    let last: string | undefined;
    for await (const event of this.#eventsOf(session, toolCallId)) {
      if (event.type === 'approval_resolved') open.delete(event.approvalId);
      if (event.type !== 'approval_required' || (expected !== undefined && expected !== event.approvalId)) continue;
      last = event.approvalId;
      open.add(last);
    }
    if (open.size > 1)
      throw new SignalboxError(
        'approval-unknown',
        `${open.size} pending calls have the id ${JSON.stringify(toolCallId)}; set "approvalId" to the value from the "approval_required" event`,
      );
    const [found = last] = open;
    if (found !== undefined) return found;
    const which = expected === undefined ? '' : ` and the approval ${JSON.stringify(expected)}`;
    throw new SignalboxError(
      'approval-unknown',
      `no pending call has the id ${JSON.stringify(toolCallId)}${which}; pending calls have an "approval_required" event`,
    );
  }

  /** Answers an agent's question. */
  async answer(session: LastTurn, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    const { turns, pubSub } = this.#parts;
    const running = turns.find(session.id);
    if (running?.questions.answer(toolCallId, answers, by) === true) return;
    let last: SessionEvent | undefined;
    for await (const event of this.#eventsOf(session, toolCallId))
      if (event.type === 'question_prompt' || event.type === 'question_answered') last = event;
    if (last?.type === 'question_answered')
      throw new SignalboxError('question-answered', `the question was already answered, by ${last.by}`);
    const isInOtherProcess = running === undefined && session.turn !== 'none' && pubSub.isCrossProcess;
    if (last === undefined || !isInOtherProcess) throw unknownQuestionError(toolCallId);
    // The answer passes through the store, so registered secrets are removed.
    const redacted = JSON.parse(this.#parts.box.secrets.redact(JSON.stringify(answers))) as JsonObject;
    const message = { session: session.id, toolCallId, answers: redacted, by: { id: by.id, kind: by.kind } };
    await this.#forward((id) => pubSub.publish('answer', { id, ...message }));
  }

  /** Answers a server's question. Rejects with `elicitation-unknown`, `elicitation-closed` or `elicitation-invalid`. */
  async answerElicitation(session: LastTurn, elicitationId: string, answer: JsonObject, by: Principal): Promise<void> {
    const { box, turns, pubSub } = this.#parts;
    const running = turns.find(session.id);
    if (running?.elicitations.answer(elicitationId, answer, by) === true) return;
    let isAsked = false;
    for await (const event of readEvents(box.sessionStore, session.id, Math.max(0, session.turnSeq - 1))) {
      if (!('elicitationId' in event) || event.elicitationId !== elicitationId) continue;
      if (event.type === 'elicitation_resolved') throw elicitationClosedError(event);
      isAsked = true;
    }
    const isInOtherProcess = running === undefined && session.turn !== 'none' && pubSub.isCrossProcess;
    if (!isAsked || !isInOtherProcess) throw unknownElicitationError(elicitationId);
    const text = JSON.stringify(answer);
    // A form must arrive exactly as it was typed, and secrets must not pass through the store.
    if (box.secrets.redact(text) !== text)
      throw new SignalboxError(
        'elicitation-invalid',
        'the answer contains a registered secret, which is never sent to other processes, and the turn runs in another process; send the answer to the process that runs the turn, or decline',
      );
    const message = { session: session.id, elicitationId, answer, by: { id: by.id, kind: by.kind } };
    await this.#forward((id) => pubSub.publish('elicitation', { id, ...message }));
  }

  /** Forwards an answer to the process that runs the turn. Rejects with the error that this process reports. */
  async #forward(send: (id: string) => Promise<void>): Promise<void> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Problem | undefined>();
    const message =
      'the process that runs the turn did not confirm the answer; check whether it arrived, and try again';
    const timer = setTimeout(resolve, replyTimeoutMs, { code: 'store-unavailable', message });
    this.#forwarded.set(id, resolve);
    try {
      await send(id);
      const problem = await promise;
      if (problem !== undefined) throw new SignalboxError(problem.code as ErrorCode, problem.message);
    } finally {
      clearTimeout(timer);
      this.#forwarded.delete(id);
    }
  }

  /** Yields the events of a call in the last turn. */
  async *#eventsOf({ id, turnSeq }: LastTurn, toolCallId: string): AsyncGenerator<SessionEvent> {
    for await (const event of readEvents(this.#parts.box.sessionStore, id, Math.max(0, turnSeq - 1)))
      if ('toolCallId' in event && event.toolCallId === toolCallId) yield event;
  }
}

function unknownQuestionError(toolCallId: string): SignalboxError {
  return new SignalboxError(
    'question-unknown',
    `no pending question has the id ${JSON.stringify(toolCallId)}; pending questions have a "question_prompt" event`,
  );
}

function unknownElicitationError(elicitationId: string): SignalboxError {
  return new SignalboxError(
    'elicitation-unknown',
    `no pending question of a server has the id ${JSON.stringify(elicitationId)}; GET /api/elicitations lists the pending ones`,
  );
}
