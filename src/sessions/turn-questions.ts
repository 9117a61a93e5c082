import { SignalboxError } from '../core/errors.ts';
import type { JsonObject } from '../core/json/json.ts';
import { type Principal, principalName } from '../core/principal.ts';
import type { Question } from '../runtimes/runtime.ts';
import type { SessionHappening } from './session-event.ts';

interface TurnQuestionsOptions {
  tell(happening: SessionHappening): void;
  /** Resolves when the session's events show the call that asks. */
  whenAnnounced(toolCallId: string): Promise<void>;
  readonly interrupt: AbortSignal;
  /** How long a question waits. */
  readonly expireMs: number;
}

/** The questions that an agent asks its user in one turn. */
export class TurnQuestions {
  readonly #options: TurnQuestionsOptions;
  readonly #open = new Map<string, (answers: JsonObject | undefined) => void>();
  readonly #answered = new Map<string, Principal>();

  constructor(options: TurnQuestionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Asks, and waits for the answer; `undefined` when the turn was interrupted or nobody answered in time. */
  async ask(toolCallId: string, questions: readonly Question[]): Promise<JsonObject | undefined> {
    const { tell, whenAnnounced, interrupt, expireMs } = this.#options;
    await whenAnnounced(toolCallId);
    // Two that wait under one id could not be told apart: an answer must not be taken for one to another question.
    if (interrupt.aborted || this.#open.has(toolCallId)) return undefined;
    this.#answered.delete(toolCallId);
    const { promise, resolve } = Promise.withResolvers<JsonObject | undefined>();
    const giveUp = (): void => resolve(undefined);
    const timer = setTimeout(giveUp, expireMs);
    interrupt.addEventListener('abort', giveUp, { once: true });
    this.#open.set(toolCallId, resolve);
    tell({ type: 'question_prompt', toolCallId, questions });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      interrupt.removeEventListener('abort', giveUp);
      this.#open.delete(toolCallId);
    }
  }

  /** Gives the answers; `false` when no such question was asked in this turn. */
  answer(toolCallId: string, answers: JsonObject, by: Principal): boolean {
    const before = this.#answered.get(toolCallId);
    if (before !== undefined)
      throw new SignalboxError('question-answered', `the question was already answered, by ${before.id}`);
    const resolve = this.#open.get(toolCallId);
    if (resolve === undefined) return false;
    this.#open.delete(toolCallId);
    this.#answered.set(toolCallId, by);
    this.#options.tell({ type: 'question_answered', toolCallId, by: principalName(by) });
    resolve(answers);
    return true;
  }
}
