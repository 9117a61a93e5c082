import { SignalboxError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { type Principal, principalName } from '../../core/principal.ts';
import type { Question } from '../../runtimes/runtime.ts';
import type { SessionEventBody } from '../events/session-event.ts';

/** The turn in which questions are asked. */
export interface AskingTurn {
  emit(event: SessionEventBody): void;
  /** Resolves when the session's events show the call that asks. */
  whenAnnounced(toolCallId: string): Promise<void>;
  readonly interrupt: AbortSignal;
  /** The time after which a question expires. */
  readonly expireMs: number;
}

/** The questions that an agent asks its user in one turn. */
export class TurnQuestions {
  readonly #turn: AskingTurn;
  readonly #open = new Map<string, (answers: JsonObject | undefined) => void>();
  readonly #answered = new Map<string, Principal>();

  constructor(turn: AskingTurn) {
    this.#turn = turn;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Asks the user. Resolves with the answers; with `undefined` when the turn was interrupted or nobody answered in time. */
  async ask(toolCallId: string, questions: readonly Question[]): Promise<JsonObject | undefined> {
    const { emit, whenAnnounced, interrupt, expireMs } = this.#turn;
    await whenAnnounced(toolCallId);
    // Two questions under one id cannot be distinguished, so an answer could go to the wrong one.
    if (interrupt.aborted || this.#open.has(toolCallId)) return undefined;
    this.#answered.delete(toolCallId);
    const { promise, resolve } = Promise.withResolvers<JsonObject | undefined>();
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, expireMs);
    interrupt.addEventListener('abort', giveUp, { once: true });
    this.#open.set(toolCallId, resolve);
    emit({ type: 'question_prompt', toolCallId, questions });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      interrupt.removeEventListener('abort', giveUp);
      this.#open.delete(toolCallId);
    }
  }

  /** Accepts the user's answers. Returns false when this turn asked no such question; throws `question-answered` for a second answer. */
  answer(toolCallId: string, answers: JsonObject, by: Principal): boolean {
    const before = this.#answered.get(toolCallId);
    if (before !== undefined)
      throw new SignalboxError('question-answered', `the question was already answered, by ${before.id}`);
    const resolve = this.#open.get(toolCallId);
    if (resolve === undefined) return false;
    this.#open.delete(toolCallId);
    this.#answered.set(toolCallId, by);
    this.#turn.emit({ type: 'question_answered', toolCallId, by: principalName(by) });
    resolve(answers);
    return true;
  }
}
