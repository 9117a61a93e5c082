import type { JsonObject } from '../../core/json/json.ts';
import type { Patterns } from '../rules/patterns.ts';
import type { WorkBudget } from '../conditions/work-budget.ts';

/** The cost of a call, computed from its arguments. */
export interface CostExpression {
  readonly text: string;
  /** Returns the cost. Throws when the arguments do not determine a valid cost, or when computing it exceeds the budget. */
  evaluate(args: JsonObject, work?: WorkBudget): number;
}

const costsByCall = new WeakMap<object, Map<CostExpression, number>>();

/** Returns the cost of a call that is decided. Evaluated once, for all meters of the session and of the principal. */
export function costOfDecidedCall(
  call: { readonly arguments: JsonObject },
  expression: CostExpression,
  work?: WorkBudget,
): number {
  let costs = costsByCall.get(call);
  if (costs === undefined) costsByCall.set(call, (costs = new Map()));
  let cost = costs.get(expression);
  if (cost === undefined) costs.set(expression, (cost = expression.evaluate(call.arguments, work)));
  return cost;
}

/** Counts matching calls and their costs, in a time window or from the beginning. */
export interface Meter {
  readonly match: Patterns;
  readonly windowMs: number | undefined;
  /** The cost of a call, computed from its arguments. By default, the reported cost counts. */
  readonly costExpression: CostExpression | undefined;
}

/** The current count of a meter. */
export interface Reading {
  readonly calls: number;
  readonly cost: number;
}

interface Mark {
  at: number;
  calls: number;
  cost: number;
}

const maxMarks = 10_000;

/**
 * Counts over a sliding window. Exact up to ten thousand calls in the window. Beyond that, merges the two oldest marks into one
 * that expires with the younger: the count may be too high, never too low.
 */
export class MeterState {
  readonly meter: Meter;
  #marks: Mark[] = [];
  #head = 0;
  #calls = 0;
  #cost = 0;
  #pendingCalls = 0;
  #pendingCost = 0;

  constructor(meter: Meter) {
    this.meter = meter;
  }

  /** Counts an admitted call that has not ended yet. */
  begin(cost: number): void {
    this.#pendingCalls += 1;
    this.#pendingCost += cost;
  }

  /** Removes a call that has ended; `add` counts it if it ran. */
  end(cost: number): void {
    this.#pendingCalls -= 1;
    this.#pendingCost = this.#pendingCalls === 0 ? 0 : this.#pendingCost - cost;
  }

  add(at: number, cost: number): void {
    this.#calls += 1;
    this.#cost += cost;
    if (this.meter.windowMs === undefined) return;
    if (this.#marks.length - this.#head === maxMarks) this.#mergeOldest();
    this.#marks.push({ at, calls: 1, cost });
  }

  read(now: number): Reading {
    this.#forget(now);
    return { calls: this.#calls + this.#pendingCalls, cost: this.#cost + this.#pendingCost };
  }

  #forget(now: number): void {
    const { windowMs } = this.meter;
    if (windowMs === undefined) return;
    let mark = this.#marks[this.#head];
    while (mark !== undefined && mark.at <= now - windowMs) {
      this.#calls -= mark.calls;
      this.#cost -= mark.cost;
      this.#head += 1;
      mark = this.#marks[this.#head];
    }
    // Subtracting floating-point numbers leaves rounding errors.
    if (mark === undefined) this.#cost = 0;
    if (this.#head > 1000 && this.#head * 2 > this.#marks.length) {
      this.#marks = this.#marks.slice(this.#head);
      this.#head = 0;
    }
  }

  #mergeOldest(): void {
    const oldest = this.#marks[this.#head];
    const next = this.#marks[this.#head + 1];
    if (oldest === undefined || next === undefined) return;
    next.calls += oldest.calls;
    next.cost += oldest.cost;
    this.#head += 1;
  }
}
