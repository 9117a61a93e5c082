import type { ASTNode } from '@marcbachmann/cel-js';
import { lowerAscii, upperAscii } from './functions/ascii.ts';
import type { SeenCall } from './scene.ts';
import type { WorkBudget } from './work-budget.ts';
import {
  charactersWork,
  chargeComparison,
  chargeMembership,
  chargeTypeName,
  errorWork,
  historyWork,
  joinWork,
  likeWork,
  partWork,
  searchWork,
  splitWork,
  textWork,
  zonedDateWork,
} from './work-costs.ts';

/** A checked node as CEL's evaluator keeps it: what it evaluates with, and what it does with its operands. */
interface EvaluatedNode {
  readonly op: string;
  readonly args: unknown;
  readonly input: string;
  readonly meta: { readonly alternate?: EvaluatedNode; readonly macro?: Macro; readonly evaluate: Evaluate };
  evaluate: Evaluate;
  handle?: Handle;
}

/** `has(…)`, which evaluates itself. */
interface Macro {
  evaluate(evaluator: unknown, macro: Macro, context: unknown): unknown;
}

type Evaluate = (evaluator: unknown, node: EvaluatedNode, context: unknown) => unknown;
type Handle = (...operands: unknown[]) => unknown;

interface Comprehension {
  readonly iterable: EvaluatedNode;
  readonly step: EvaluatedNode;
  readonly errorsAreFatal: boolean;
  condition?: (value: unknown) => unknown;
}

/** The longest text that `duration(…)` takes: parsing one takes time that grows with the cube of its length. */
const maxDurationLength = 64;

/** What a condition is evaluated with. */
export interface Evaluation {
  readonly work: WorkBudget;
  /** The call that is being decided; absent where only its cost is computed. */
  readonly seen?: SeenCall;
}

let current: Evaluation | undefined;
let charged: unknown;

/** Returns what the condition that is being evaluated works with. Nothing is waited for meanwhile, so there is only one. */
export function currentEvaluation(): Evaluation {
  if (current === undefined) throw new Error('no condition is being evaluated');
  return current;
}

function currentWork(): WorkBudget {
  return currentEvaluation().work;
}

/** Evaluates something within its budget. Throws a `WorkExceeded` when it takes more, also where a part of it was caught. */
export function evaluateWithin<Value>(evaluation: Evaluation, run: () => Value): Value {
  const outer = current;
  current = evaluation;
  try {
    const value = run();
    evaluation.work.charge(0);
    return value;
  } finally {
    current = outer;
  }
}

/**
 * Makes CEL's evaluator charge for its work: for each part that it evaluates, each error that it makes, and for what functions and
 * operators do with their operands. The library has no such hook, so the nodes of a condition that was checked are wrapped.
 */
export function meterCondition(root: ASTNode): void {
  wrap(root as unknown as EvaluatedNode);
}

function wrap(node: EvaluatedNode): void {
  const { alternate, macro, evaluate } = node.meta;
  if (alternate !== undefined) return wrap(alternate);
  const own: Evaluate =
    macro === undefined ? evaluate : (evaluator, _, context) => macro.evaluate(evaluator, macro, context);
  const perError = errorWork + node.input.length;
  node.evaluate = (evaluator, self, context) => {
    const work = currentWork();
    work.charge(partWork);
    try {
      return own(evaluator, self, context);
    } catch (error) {
      // An error passes through every node around the one that it comes from.
      if (error !== charged) work.take(perError);
      charged = error;
      throw error;
    }
  };
  if (macro !== undefined) return;
  const { handle } = node;
  if (handle !== undefined) node.handle = metered(node, handle);
  for (const each of childrenOf(node)) wrap(each);
}

function childrenOf({ op, args }: EvaluatedNode): readonly EvaluatedNode[] {
  switch (op) {
    case 'value':
    case 'id':
    case 'accuValue':
    case 'accuInc':
      return [];
    case '.':
      return [(args as [EvaluatedNode])[0]];
    case 'call':
      return (args as [string, EvaluatedNode[]])[1];
    case 'rcall': {
      const [, receiver, rest] = args as [string, EvaluatedNode, EvaluatedNode[]];
      return [receiver, ...rest];
    }
    case 'comprehension': {
      const { iterable, step } = args as Comprehension;
      return [iterable, step];
    }
    case 'map':
      return (args as EvaluatedNode[][]).flat();
    case '!_':
    case '-_':
    case 'accuPush':
      return [args as EvaluatedNode];
    default:
      return args as EvaluatedNode[];
  }
}

function metered(node: EvaluatedNode, handle: Handle): Handle {
  switch (node.op) {
    case 'call':
    case 'rcall':
      return meteredCall((node.args as [string])[0], handle);
    case 'comprehension':
      return meteredLoop(node.args as Comprehension, handle);
    case '.':
    case '[]':
    case '?:':
    case '!_':
    case '-_':
      return handle;
    default:
      return meteredOperator(node.op, handle);
  }
}

function meteredOperator(op: string, handle: Handle): Handle {
  const charge = op === 'in' ? chargeMembership : op === '+' ? chargeJoin : chargeComparison;
  return (left, right, ...rest) => {
    const work = currentWork();
    // A key of an object is found at once, whatever else is in the object.
    if (op === 'in' && typeof left === 'string' && isPlain(right))
      return Object.hasOwn(right, left) && right[left] !== undefined;
    chargeTypeName(left, work);
    chargeTypeName(right, work);
    charge(left, right, work);
    return handle(left, right, ...rest);
  };
}

function chargeJoin(left: unknown, right: unknown, work: WorkBudget): void {
  const length = lengthOf(left) + lengthOf(right);
  work.charge(typeof left === 'string' ? joinWork(length) : length);
}

function meteredCall(name: string, handle: Handle): Handle {
  const replacement = replacements[name];
  return (operands, ...rest) => {
    const work = currentWork();
    const values = operands as readonly unknown[];
    for (const each of values) chargeTypeName(each, work);
    work.charge(callWork(name, values, work));
    const [first, second] = values;
    if (replacement !== undefined && typeof first === 'string') {
      const value = replacement(first, second);
      if (value !== undefined) return value;
    }
    return handle(operands, ...rest);
  };
}

/** Functions whose answers are not what their names promise in the library. */
const replacements: Readonly<Record<string, (text: string, argument: unknown) => unknown>> = {
  lowerAscii,
  upperAscii,
  // Into characters, not into halves of them.
  split: (text, separator) => (separator === '' ? [...text] : undefined),
};

function callWork(name: string, [first, second]: readonly unknown[], work: WorkBudget): number {
  const length = lengthOf(first);
  switch (name) {
    case 'contains':
      return searchWork(length, lengthOf(second));
    case 'like':
      return likeWork(length, typeof second === 'string' ? second : '');
    case 'split':
      return second === '' ? charactersWork(length) * 3 : splitWork(length, lengthOf(second));
    case 'size':
      if (typeof first === 'string') return charactersWork(length);
      return isPlain(first) ? work.keysOf(first).length : 1;
    case 'startsWith':
    case 'endsWith':
      return textWork(lengthOf(second));
    case 'duration':
      if (length > maxDurationLength) throw new Error(`a duration of more than ${maxDurationLength} characters`);
      return errorWork;
    case 'last':
    case 'lastOk':
    case 'count':
      return historyWork;
    case 'hasRead':
      return historyWork + textWork(Math.min(lengthOf(second), 4096));
    default:
      // The methods of dates are the only ones that take a text besides those above: a time zone.
      return first instanceof Date && second !== undefined ? zonedDateWork + lengthOf(second) : textWork(length);
  }
}

/** An error within `all` or `exists` is put off until the end, but not that the budget is used up. */
function meteredLoop(loop: Comprehension, handle: Handle): Handle {
  const { condition, errorsAreFatal } = loop;
  if (!errorsAreFatal && condition !== undefined)
    loop.condition = (value) => {
      currentWork().charge(partWork);
      return condition(value);
    };
  return (items, ...rest) => {
    if (isPlain(items)) currentWork().keysOf(items);
    return handle(items, ...rest);
  };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const made: unknown = value.constructor;
  return made === Object || made === undefined;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return value instanceof Set ? value.size : 0;
}
