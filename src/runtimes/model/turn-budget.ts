/** What a step used, as far as the provider tells. */
export interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
  /** As it came. */
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
}

/** How far one turn may go. */
export interface TurnLimits {
  /** How often the model is asked (50). */
  readonly steps?: number;
  /** Tokens in and out, over all steps; without a limit when absent. */
  readonly tokens?: number;
  /** Tokens of one answer; as the provider has it when absent. */
  readonly answerTokens?: number;
  /** What the turn may cost, where the provider tells what it costs. */
  readonly costUsd?: number;
  /** How long the turn may take, approvals included. */
  readonly timeMs?: number;
}

const defaultMaxSteps = 50;

/** Counts what a turn uses against its limits. */
export class TurnBudget {
  /** Ends the turn: the user interrupted it, or its time is up. */
  readonly signal: AbortSignal;
  readonly limits: TurnLimits;
  readonly #interrupt: AbortSignal;
  readonly #timeUp: AbortSignal | undefined;
  #steps = 0;
  #tokens = 0;
  #costUsd: number | undefined;

  constructor(limits: TurnLimits, interrupt: AbortSignal) {
    this.limits = limits;
    this.#interrupt = interrupt;
    this.#timeUp = limits.timeMs === undefined ? undefined : AbortSignal.timeout(limits.timeMs);
    this.signal = this.#timeUp === undefined ? interrupt : AbortSignal.any([interrupt, this.#timeUp]);
  }

  get isInterrupted(): boolean {
    return this.#interrupt.aborted;
  }

  /** What the turn cost so far, where the provider tells. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /** Counts one more time that the model is asked. */
  countStep(): void {
    this.#steps += 1;
  }

  addUsage({ totalTokens, raw }: Usage): void {
    this.#tokens += totalTokens ?? 0;
    // OpenRouter and others like it tell the price of a request; nobody's price list is guessed at.
    const cost = raw?.['cost'];
    if (typeof cost === 'number') this.#costUsd = (this.#costUsd ?? 0) + cost;
  }

  /** The limit that was reached, in words; the turn may go on while there is none. */
  reachedLimit(): string | undefined {
    const { steps = defaultMaxSteps, tokens = Infinity, costUsd = Infinity, timeMs } = this.limits;
    if (this.#timeUp?.aborted === true) return `it took longer than ${timeMs} ms (limit "timeMs")`;
    if (this.#steps >= steps) return `the model was asked ${this.#steps} times (limit "steps")`;
    if (this.#tokens >= tokens) return `${this.#tokens} tokens were used (limit "tokens": ${tokens})`;
    if ((this.#costUsd ?? 0) >= costUsd) return `it cost $${this.#costUsd?.toFixed(4)} (limit "costUsd": ${costUsd})`;
    return undefined;
  }
}
