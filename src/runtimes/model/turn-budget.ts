/** The usage of a step, as the provider reports it. */
export interface Usage {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
  readonly totalTokens: number | undefined;
  /** The provider's own report. */
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
}

/** The limits of one turn. */
export interface TurnLimits {
  /** The maximum number of model requests (default 50). */
  readonly steps?: number;
  /** Tokens in and out, over all steps; without a limit when absent. */
  readonly tokens?: number;
  /** Tokens of one answer; the provider's default when absent. */
  readonly answerTokens?: number;
  /** The maximum cost, for providers that report costs. */
  readonly costUsd?: number;
  /** The maximum duration, including approvals. */
  readonly timeMs?: number;
}

const defaultMaxSteps = 50;

/** Counts the usage of a turn against its limits. */
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

  /** The cost so far, if the provider reports it. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /** Counts a model request. */
  countStep(): void {
    this.#steps += 1;
  }

  addUsage({ totalTokens, raw }: Usage): void {
    this.#tokens += totalTokens ?? 0;
    // OpenRouter and similar providers report the cost of a request. Costs are never estimated.
    const cost = raw?.['cost'];
    if (typeof cost === 'number') this.#costUsd = (this.#costUsd ?? 0) + cost;
  }

  /** Describes the limit that was reached; `undefined` while there is none. */
  reachedLimit(): string | undefined {
    const { steps = defaultMaxSteps, tokens = Infinity, costUsd = Infinity, timeMs } = this.limits;
    if (this.#timeUp?.aborted === true) return `it took longer than ${timeMs} ms (limit "timeMs")`;
    if (this.#steps >= steps) return `the model was asked ${this.#steps} times (limit "steps")`;
    if (this.#tokens >= tokens) return `${this.#tokens} tokens were used (limit "tokens": ${tokens})`;
    if ((this.#costUsd ?? 0) >= costUsd) return `it cost $${this.#costUsd?.toFixed(4)} (limit "costUsd": ${costUsd})`;
    return undefined;
  }
}
