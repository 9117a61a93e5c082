import type { ConditionCall } from './condition-input.ts';
import type { WorkBudget } from './work-budget.ts';

/** The state of one evaluation of a condition. */
export interface Evaluation {
  readonly work: WorkBudget;
  /** The call that is being decided; absent where only its cost is computed. */
  readonly conditionCall?: ConditionCall;
}

let current: Evaluation | undefined;

/** Returns the running evaluation. Evaluation is synchronous, so there is at most one. */
export function currentEvaluation(): Evaluation {
  if (current === undefined) throw new Error('no condition is being evaluated');
  return current;
}

/** Returns the budget of the running evaluation. */
export function currentWork(): WorkBudget {
  return currentEvaluation().work;
}

/**
 * Runs a metered condition within the budget of `evaluation`, starting with the fixed `units` of the condition. Throws `WorkExceeded` when
 * the budget is used up, even where the library caught the error of the part that exceeded it.
 */
export function evaluateWithin<Value>(evaluation: Evaluation, units: number, run: () => Value): Value {
  evaluation.work.charge(units);
  const outer = current;
  const { stackTraceLimit } = Error;
  current = evaluation;
  // Capturing the stack is most of the cost of an error, and only the message is used.
  Error.stackTraceLimit = 0;
  try {
    const value = run();
    evaluation.work.charge(0);
    return value;
  } finally {
    current = outer;
    Error.stackTraceLimit = stackTraceLimit;
  }
}
