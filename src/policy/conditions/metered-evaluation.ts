import type { ASTNode } from '@marcbachmann/cel-js';
import { lowerAscii, upperAscii } from './functions/ascii.ts';
import type { SeenCall } from './condition-input.ts';
import type { WorkBudget } from './work-budget.ts';
import {
  charactersWork,
  chargeComparison,
  chargeMembership,
  chargeTypeName,
  comparedTextWork,
  errorWork,
  historyWork,
  joinWork,
  likeWork,
  partWork,
  searchWork,
  splitWork,
  textWork,
  zoneClockWork,
  zonedDateWork,
} from './work-costs.ts';

/** A checked node of the library: the library evaluates it with `evaluate`, which gives its operands to `handle`. */
interface CheckedNode {
  readonly op: string;
  readonly args: unknown;
  readonly input: string;
  readonly meta: { readonly alternate?: CheckedNode; readonly macro?: Macro; readonly evaluate: Evaluate };
  evaluate: Evaluate;
  handle?: Handle;
}

/** `has(a.b.c)`, which evaluates itself. */
interface Macro {
  readonly macroHasProps?: readonly unknown[];
  evaluate(evaluator: unknown, macro: Macro, context: unknown): unknown;
}

type Evaluate = (evaluator: unknown, node: CheckedNode, context: unknown) => unknown;
type Handle = (...operands: unknown[]) => unknown;

interface Comprehension {
  readonly iterable: CheckedNode;
  readonly step: CheckedNode;
  readonly errorsAreFatal: boolean;
  condition?: (value: unknown) => unknown;
}

/** The longest text that `duration(…)` takes: parsing takes time that grows with the cube of the length. */
const maxDurationLength = 64;

/** The state of one evaluation of a condition. */
export interface Evaluation {
  readonly work: WorkBudget;
  /** The call that is being decided; absent where only its cost is computed. */
  readonly seen?: DecidedCallInput;
}

let current: Evaluation | undefined;
let lastChargedError: unknown;

/** Returns the running evaluation. Evaluation is synchronous, so there is at most one. */
export function currentEvaluation(): Evaluation {
  if (current === undefined) throw new Error('no condition is being evaluated');
  return current;
}

function currentWork(): WorkBudget {
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
  // Capturing stacks is most of what an error costs, and only its message is used.
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

/**
 * Makes the library charge for its work. It has no hook for that, so the nodes of a checked condition are changed: operators and functions
 * charge for their operands, loops for each element, and errors are charged where the library catches them.
 * Returns the fixed units of one evaluation, which cover all parts outside loops.
 */
export function meterCondition(root: ASTNode): number {
  const node = root as unknown as CheckedNode;
  const parts = meterNode(node);
  chargeErrors(node);
  return parts * partWork;
}

/** Returns how many parts are evaluated at most once with the node. */
function meterNode(node: CheckedNode): number {
  const { alternate, macro } = node.meta;
  if (alternate !== undefined) return meterNode(alternate);
  if (macro !== undefined) return 1 + (macro.macroHasProps?.length ?? 0);
  const { op, handle } = node;
  if (op === 'comprehension') return meterLoop(node, node.args as Comprehension);
  let parts = 1;
  for (const each of childrenOf(node)) parts += meterNode(each);
  const [first] = childrenOf(node);
  if ((op === '&&' || op === '||') && first !== undefined) chargeErrors(first);
  if (handle !== undefined) node.handle = meteredHandle(node, handle);
  return parts;
}

/** Charges for an error that the evaluation of a node throws. Errors pass through several such nodes and are charged once. */
function chargeErrors(node: CheckedNode): void {
  const evaluate = evaluateOf(node);
  const units = errorWork + node.input.length;
  node.evaluate = (evaluator, self, context) => {
    try {
      return evaluate(evaluator, self, context);
    } catch (error) {
      if (error !== lastChargedError) currentWork().take(units);
      lastChargedError = error;
      throw error;
    }
  };
}

/** The library replaces `evaluate` with one of these on first use. */
function evaluateOf({ meta: { alternate, macro, evaluate } }: CheckedNode): Evaluate {
  if (alternate !== undefined) return (evaluator, _, context) => alternate.evaluate(evaluator, alternate, context);
  if (macro !== undefined) return (evaluator, _, context) => macro.evaluate(evaluator, macro, context);
  return evaluate;
}

function meterLoop(node: CheckedNode, loop: Comprehension): number {
  const parts = meterNode(loop.iterable) + 3;
  const perElement = (1 + meterNode(loop.step)) * partWork;
  const { condition, errorsAreFatal, step } = loop;
  if (!errorsAreFatal && condition !== undefined) {
    chargeErrors(step);
    // The library defers errors of `all` and `exists` to the end of the list. The budget is checked here, where it does not catch errors.
    loop.condition = (value) => {
      currentWork().charge(perElement);
      return condition(value);
    };
  } else {
    const evaluate = evaluateOf(step);
    step.evaluate = (evaluator, self, context) => {
      currentWork().charge(perElement);
      return evaluate(evaluator, self, context);
    };
  }
  const { handle } = node;
  if (handle !== undefined)
    node.handle = (items, ...rest) => {
      if (isPlainObject(items)) currentWork().keysOf(items);
      return handle(items, ...rest);
    };
  return parts;
}

function childrenOf({ op, args }: CheckedNode): readonly CheckedNode[] {
  switch (op) {
    case 'value':
    case 'id':
    case 'accuValue':
    case 'accuInc':
      return [];
    case '.':
      return [(args as [CheckedNode])[0]];
    case 'call':
      return (args as [string, CheckedNode[]])[1];
    case 'rcall': {
      const [, receiver, rest] = args as [string, CheckedNode, CheckedNode[]];
      return [receiver, ...rest];
    }
    case 'map':
      return (args as CheckedNode[][]).flat();
    case '!_':
    case '-_':
    case 'accuPush':
      return [args as CheckedNode];
    default:
      return args as CheckedNode[];
  }
}

function meteredHandle(node: CheckedNode, handle: Handle): Handle {
  switch (node.op) {
    case 'call':
    case 'rcall':
      return zonedDateMethod(node, handle) ?? writtenTime(node, handle) ?? meteredCall((node.args as [string])[0], handle);
    case '.':
    case '[]':
    case '?:':
    case '!_':
    case '-_':
      return handle;
    case 'in':
      return meteredMembership(handle);
    case '+':
      return meteredOperator(handle, chargeJoin);
    default: {
      const compare = comparisons[node.op];
      const metered = meteredOperator(handle, chargeComparison);
      return compare === undefined ? metered : meteredComparison(node.op, compare, metered);
    }
  }
}

type Primitive = string | number | bigint;

const comparisons: Readonly<Record<string, (left: Primitive, right: Primitive) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** Compares two numbers or two texts directly: the library would look for an overload each time. */
function meteredComparison(op: string, compare: (left: Primitive, right: Primitive) => boolean, other: Handle): Handle {
  const isEquality = op === '==' || op === '!=';
  return (left, right, ...rest) => {
    if (typeof left === 'string' && typeof right === 'string') {
      const length = isEquality && left.length !== right.length ? 0 : Math.min(left.length, right.length);
      currentWork().charge(comparedTextWork(length));
      return compare(left, right);
    }
    if (typeof left === 'number' && typeof right === 'number') return compare(left, right);
    if (typeof left === 'bigint' && typeof right === 'bigint') return compare(left, right);
    return other(left, right, ...rest);
  };
}

function meteredOperator(handle: Handle, charge: typeof chargeComparison): Handle {
  return (left, right, ...rest) => {
    const work = currentWork();
    chargeTypeName(left, work);
    chargeTypeName(right, work);
    charge(left, right, work);
    return handle(left, right, ...rest);
  };
}

function meteredMembership(handle: Handle): Handle {
  const other = meteredOperator(handle, chargeMembership);
  return (left, right, ...rest) => {
    // A key of an object is found at once, whatever else is in the object.
    if (typeof left === 'string' && isPlainObject(right)) return Object.hasOwn(right, left) && right[left] !== undefined;
    return other(left, right, ...rest);
  };
}

function chargeJoin(left: unknown, right: unknown, work: WorkBudget): void {
  const length = lengthOf(left) + lengthOf(right);
  work.charge(typeof left === 'string' ? joinWork(length) : length);
}

function meteredCall(name: string, handle: Handle): Handle {
  const method = Object.hasOwn(textMethods, name) ? textMethods[name] : undefined;
  return (operands, ...rest) => {
    const work = currentWork();
    const values = operands as readonly unknown[];
    for (const each of values) chargeTypeName(each, work);
    work.charge(callWork(name, values, work));
    const [text, argument] = values;
    if (method !== undefined && typeof text === 'string' && (argument === undefined || typeof argument === 'string')) {
      const value = method(text, argument);
      if (value !== undefined) return value;
    }
    return handle(operands, ...rest);
  };
}

/**
 * Methods of texts that are called directly, either because the library would look for an overload each time, or because it gives another
 * answer than the name of the method promises. They return `undefined` for a wrong number of arguments.
 */
const textMethods: Readonly<Record<string, (text: string, argument: string | undefined) => unknown>> = {
  startsWith: (text, part) => (part === undefined ? undefined : text.startsWith(part)),
  endsWith: (text, part) => (part === undefined ? undefined : text.endsWith(part)),
  contains: (text, part) => (part === undefined ? undefined : text.includes(part)),
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
      return isPlainObject(first) ? work.keysOf(first).length : 1;
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

const dateParts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getFullYear(),
  getMonth: (date) => date.getMonth(),
  getDayOfMonth: (date) => date.getDate() - 1,
  getDayOfWeek: (date) => date.getDay(),
  getHours: (date) => date.getHours(),
  getMinutes: (date) => date.getMinutes(),
};

/** `now.getHours('Europe/Berlin')` with a zone in quotes: the library would make a formatter each time. */
function zonedDateMethod({ op, args }: CheckedNode, handle: Handle): Handle | undefined {
  const [name, , [zone] = []] = args as [string, CheckedNode, CheckedNode[]];
  const part = op === 'rcall' && Object.hasOwn(dateParts, name) ? dateParts[name] : undefined;
  if (part === undefined || zone?.op !== 'value' || typeof zone.args !== 'string') return undefined;
  const timeZone = zone.args;
  let clock: ZoneClock | undefined;
  return (operands, ...rest) => {
    const [date] = operands as readonly unknown[];
    currentWork().charge(zoneClockWork);
    // An invalid date or zone is an error of the library's.
    if (!(date instanceof Date) || Number.isNaN(date.getTime())) return handle(operands, ...rest);
    try {
      clock ??= new ZoneClock(timeZone);
    } catch {
      return handle(operands, ...rest);
    }
    return BigInt(part(clock.dateAt(date.getTime())));
  };
}

/** `timestamp('…')` and `duration('…')` with their text in quotes: parsed once. */
function writtenTime({ op, args }: CheckedNode, handle: Handle): Handle | undefined {
  const [name, [text] = []] = args as [string, CheckedNode[]];
  if (op !== 'call' || (name !== 'timestamp' && name !== 'duration') || text?.op !== 'value') return undefined;
  const metered = meteredCall(name, handle);
  let value: unknown;
  return (...operands) => (value ??= metered(...operands));
}

/** Converts times to dates whose local fields show the time in a zone, like the library. Caches the result for a second. */
class ZoneClock {
  readonly #format: Intl.DateTimeFormat;
  #second = Number.NaN;
  #date = new Date(Number.NaN);

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      timeZone,
    });
  }

  dateAt(at: number): Date {
    const second = Math.floor(at / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = new Date(this.#format.format(at));
    }
    return this.#date;
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const made: unknown = value.constructor;
  return made === Object || made === undefined;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return value instanceof Set ? value.size : 0;
}
