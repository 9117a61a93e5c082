import { randomUUID } from 'node:crypto';
import type { SessionRecord } from '../journal/store/session-store.ts';
import { type ErrorCode, SignalboxError, messageOf } from '../core/errors.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Principal } from '../core/principal.ts';
import { readEvents } from './read-events.ts';
import type { SessionBox } from './session-box.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionPost } from './session-post.ts';
import { elicitationClosed } from './turn-elicitations.ts';
import type { Turns } from './turns.ts';

type LastTurn = Pick<SessionRecord, 'id' | 'turnSeq' | 'turn'>;
type Problem = { readonly code: string; readonly message: string };

/** What answers are passed on with. */
export interface AnswersParts {
  readonly box: Pick<SessionBox, 'sessionStore' | 'secrets'>;
  readonly turns: Pick<Turns, 'of'>;
  readonly post: SessionPost;
}

/** How long the process that runs a turn may take to say that it has the answer. */
const patienceMs = 5000;

/** Finds what a human's answer is an answer to, wherever the turn runs. */
export class Answers {
  readonly #parts: AnswersParts;
  /** Answers that were passed on, and what the process that runs the turn makes of them. */
  readonly #passedOn = new Map<string, (problem: Problem | undefined) => void>();

  constructor(parts: AnswersParts) {
    const { post, turns } = parts;
    this.#parts = parts;
    post.on('answered', ({ id, problem }) => this.#passedOn.get(id)?.(problem));
    post.on('answer', ({ id, session, toolCallId, answers, by }) => {
      const running = turns.of(session);
      if (running !== undefined)
        this.#take(id, () => running.questions.answer(toolCallId, answers, by), unknownQuestion(toolCallId));
    });
    post.on('elicitation', ({ id, session, elicitationId, answer, by }) => {
      const running = turns.of(session);
      if (running !== undefined)
        this.#take(id, () => running.elicitations.answer(elicitationId, answer, by), unknownElicitation(elicitationId));
    });
  }

  /** Accepts an answer that another process forwarded, and replies to that process with the result. */
  #take(id: string, take: () => boolean, unknown: SignalboxError): void {
    let problem: Problem | undefined;
    try {
      if (!take()) problem = unknown;
    } catch (error) {
      problem = error instanceof SignalboxError ? error : { code: 'store-unavailable', message: messageOf(error) };
    }
    const why = problem === undefined ? {} : { problem: { code: problem.code, message: problem.message } };
    void this.#parts.post.tell('answered', { id, ...why });
  }

  /**
   * The approval that a call of the last turn waits for, or waited for: then the inbox knows how it was answered. Where several
   * calls wait under one id, only `meant` says which: a yes must never be taken for another call than the one that was shown.
   */
  async approvalOf(session: LastTurn, toolCallId: string, meant?: string): Promise<string> {
    const open = new Set<string>();
    let last: string | undefined;
    for await (const event of this.#eventsOf(session, toolCallId)) {
      if (event.type === 'approval_resolved') open.delete(event.approvalId);
      if (event.type !== 'approval_required' || (meant !== undefined && meant !== event.approvalId)) continue;
      last = event.approvalId;
      open.add(last);
    }
    if (open.size > 1)
      throw new SignalboxError(
        'approval-unknown',
        `${open.size} calls wait under ${JSON.stringify(toolCallId)}; say which one with "approvalId", as "approval_required" tells it`,
      );
    const [found = last] = open;
    if (found !== undefined) return found;
    const which = meant === undefined ? '' : ` with the approval ${JSON.stringify(meant)}`;
    throw new SignalboxError(
      'approval-unknown',
      `no call waits under ${JSON.stringify(toolCallId)}${which}; those that do are told as "approval_required"`,
    );
  }

  /** Answers an agent's question. */
  async answer(session: LastTurn, toolCallId: string, answers: JsonObject, by: Principal): Promise<void> {
    const { turns, post } = this.#parts;
    const running = turns.of(session.id);
    if (running?.questions.answer(toolCallId, answers, by) === true) return;
    let last: SessionEvent | undefined;
    for await (const event of this.#eventsOf(session, toolCallId))
      if (event.type === 'question_prompt' || event.type === 'question_answered') last = event;
    if (last?.type === 'question_answered')
      throw new SignalboxError('question-answered', `the question was already answered, by ${last.by}`);
    const isElsewhere = running === undefined && session.turn !== 'none' && post.reachesOthers;
    if (last === undefined || !isElsewhere) throw unknownQuestion(toolCallId);
    // The answer passes through the store, so registered secrets are removed.
    const redacted = JSON.parse(this.#parts.box.secrets.redact(JSON.stringify(answers))) as JsonObject;
    const given = { session: session.id, toolCallId, answers: redacted, by: { id: by.id, kind: by.kind } };
    await this.#passOn((id) => post.tell('answer', { id, ...given }));
  }

  /** Answers a server's question. Rejects with `elicitation-unknown`, `elicitation-closed` or `elicitation-invalid`. */
  async answerElicitation(session: LastTurn, elicitationId: string, answer: JsonObject, by: Principal): Promise<void> {
    const { box, turns, post } = this.#parts;
    const running = turns.of(session.id);
    if (running?.elicitations.answer(elicitationId, answer, by) === true) return;
    let isAsked = false;
    for await (const event of readEvents(box.sessionStore, session.id, Math.max(0, session.turnSeq - 1))) {
      if (!('elicitationId' in event) || event.elicitationId !== elicitationId) continue;
      if (event.type === 'elicitation_resolved') throw elicitationClosed(event);
      isAsked = true;
    }
    const isElsewhere = running === undefined && session.turn !== 'none' && post.reachesOthers;
    if (!isAsked || !isElsewhere) throw unknownElicitation(elicitationId);
    const text = JSON.stringify(answer);
    // A form must arrive exactly as it was typed, and secrets must not pass through the store.
    if (box.secrets.redact(text) !== text)
      throw new SignalboxError(
        'elicitation-invalid',
        'the answer holds a registered secret, and the turn runs in another process, to which secrets are not passed on; send the answer to the process that runs the turn, or decline',
      );
    const given = { session: session.id, elicitationId, answer, by: { id: by.id, kind: by.kind } };
    await this.#passOn((id) => post.tell('elicitation', { id, ...given }));
  }

  /** Forwards an answer to the process that runs the turn. Rejects with the error that this process reports. */
  async #passOn(send: (id: string) => Promise<void>): Promise<void> {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Problem | undefined>();
    const message =
      'the process that runs the turn did not say that it has the answer; look whether it does, and try again';
    const timer = setTimeout(resolve, patienceMs, { code: 'store-unavailable', message });
    this.#passedOn.set(id, resolve);
    try {
      await send(id);
      const problem = await promise;
      if (problem !== undefined) throw new SignalboxError(problem.code as ErrorCode, problem.message);
    } finally {
      clearTimeout(timer);
      this.#passedOn.delete(id);
    }
  }

  /** What was told of a call in the last turn. */
  async *#eventsOf({ id, turnSeq }: LastTurn, toolCallId: string): AsyncGenerator<SessionEvent> {
    for await (const event of readEvents(this.#parts.box.sessionStore, id, Math.max(0, turnSeq - 1)))
      if ('toolCallId' in event && event.toolCallId === toolCallId) yield event;
  }
}

function unknownQuestion(toolCallId: string): SignalboxError {
  return new SignalboxError(
    'question-unknown',
    `no question waits under ${JSON.stringify(toolCallId)}; those that do are told as "question_prompt"`,
  );
}

function unknownElicitation(elicitationId: string): SignalboxError {
  return new SignalboxError(
    'elicitation-unknown',
    `no question of a server waits under ${JSON.stringify(elicitationId)}; those that wait are listed by GET /api/elicitations`,
  );
}
