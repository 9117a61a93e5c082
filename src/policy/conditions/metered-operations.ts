import { currentWork } from './running-evaluation.ts';
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
  searchWork,
  splitWork,
  textWork,
  zoneClockWork,
  zonedDateWork,
} from './work-costs.ts';

/** A checked node of the library. The library evaluates it with `evaluate`, which passes its operands to `handle`. */
export interface CheckedNode {
  readonly op: string;
  readonly args: unknown;
  readonly input: string;
  readonly meta: { readonly alternate?: CheckedNode; readonly macro?: Macro; readonly evaluate: Evaluate };
  evaluate: Evaluate;
  handle?: Handle;
}

/** The macro `has(a.b.c)`, which evaluates itself. */
interface Macro {
  readonly macroHasProps?: readonly unknown[];
  evaluate(evaluator: unknown, macro: Macro, context: unknown): unknown;
}

export type Evaluate = (evaluator: unknown, node: CheckedNode, context: unknown) => unknown;
export type Handle = (...operands: unknown[]) => unknown;

/** The maximum length of the text of `duration(…)`, because parsing takes cubic time. */
const maxDurationLength = 64;

/** Returns the operation of a node, which charges for its operands. Frequent operations on numbers and strings bypass the overload lookup. */
export function meteredHandle(node: CheckedNode, handle: Handle): Handle {
  switch (node.op) {
    case 'call':
    case 'rcall':
      return (
        zonedDateMethod(node, handle) ?? literalTime(node, handle) ?? meteredCall((node.args as [string])[0], handle)
      );
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

type Ordered = string | number | bigint;

const comparisons: Readonly<Record<string, (left: Ordered, right: Ordered) => boolean>> = {
  '==': isEqualByValue,
  '!=': (left, right) => !isEqualByValue(left, right),
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** Returns whether two numbers are equal. Also exact for an int (bigint) and a double. NaN equals nothing. */
function isEqualByValue(left: Ordered, right: Ordered): boolean {
  if (typeof left === typeof right) return left === right;
  if (left < right || Number.isNaN(left) || Number.isNaN(right)) return false;
  return !(left > right);
}

/** Compares two numbers or two strings directly, because the library would look up an overload each time. */
function meteredComparison(op: string, compare: (left: Ordered, right: Ordered) => boolean, other: Handle): Handle {
  const isEquality = op === '==' || op === '!=';
  return (left, right, ...rest) => {
    if (typeof left === 'string' && typeof right === 'string') {
      // Strings of different lengths differ without a comparison of their characters.
      const compared = isEquality && left.length !== right.length ? 0 : Math.min(left.length, right.length);
      currentWork().charge(comparedTextWork(compared));
      return compare(left, right);
    }
    return isNumeric(left) && isNumeric(right) ? compare(left, right) : other(left, right, ...rest);
  };
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
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
    // A key lookup in an object takes constant time.
    if (typeof left === 'string' && isCelMap(right)) return Object.hasOwn(right, left) && right[left] !== undefined;
    return other(left, right, ...rest);
  };
}

function chargeJoin(left: unknown, right: unknown, work: WorkBudget): void {
  const length = lengthOf(left) + lengthOf(right);
  work.charge(typeof left === 'string' ? joinWork(length) : length);
}

function meteredCall(name: string, handle: Handle): Handle {
  const method = Object.hasOwn(stringMethods, name) ? stringMethods[name] : undefined;
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

const upperCase = { from: 0x41, to: 0x5a, shift: 0x20 };
const lowerCase = { from: 0x61, to: 0x7a, shift: -0x20 };
const nonAscii = /[^\u0000-\u007f]/;

/**
 * String methods that are called directly, either because the library would look up an overload each time, or because its result
 * differs from what the name of the method promises. They return `undefined` for a wrong number of arguments.
 */
const stringMethods: Readonly<Record<string, (text: string, argument: string | undefined) => unknown>> = {
  startsWith: (text, part) => (part === undefined ? undefined : text.startsWith(part)),
  endsWith: (text, part) => (part === undefined ? undefined : text.endsWith(part)),
  contains: (text, part) => (part === undefined ? undefined : text.includes(part)),
  lowerAscii: (text) => (nonAscii.test(text) ? shiftLetters(text, upperCase) : text.toLowerCase()),
  upperAscii: (text) => (nonAscii.test(text) ? shiftLetters(text, lowerCase) : text.toUpperCase()),
  // Splits into code points, not into surrogates.
  split: (text, separator) => (separator === '' ? [...text] : undefined),
};

/** Shifts a range of letters. JavaScript's own conversions change other letters too: the Kelvin sign becomes "k", "ß" becomes "SS". */
function shiftLetters(text: string, { from, to, shift }: typeof upperCase): string {
  const bytes = Buffer.from(text, 'utf16le');
  for (let index = 0; index < bytes.length; index += 2) {
    const unit = bytes[index] ?? 0;
    if (bytes[index + 1] === 0 && unit >= from && unit <= to) bytes[index] = unit + shift;
  }
  return bytes.toString('utf16le');
}

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
      return isCelMap(first) ? work.keysOf(first).length : 1;
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
      // Apart from the methods above, only the methods of dates take a string argument: a time zone.
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

/** Handles `now.getHours('Europe/Berlin')` with a literal zone, for which the library would create a formatter each time. */
function zonedDateMethod({ op, args }: CheckedNode, handle: Handle): Handle | undefined {
  if (op !== 'rcall') return undefined;
  const [name, , [zone]] = args as [string, CheckedNode, CheckedNode[]];
  const part = Object.hasOwn(dateParts, name) ? dateParts[name] : undefined;
  if (part === undefined || zone?.op !== 'value' || typeof zone.args !== 'string') return undefined;
  const timeZone = zone.args;
  let clock: ZoneClock | undefined;
  return (operands, ...rest) => {
    const [date] = operands as readonly unknown[];
    currentWork().charge(zoneClockWork);
    // The library reports an invalid date or zone.
    if (!(date instanceof Date) || Number.isNaN(date.getTime())) return handle(operands, ...rest);
    try {
      clock ??= new ZoneClock(timeZone);
    } catch {
      return handle(operands, ...rest);
    }
    return BigInt(part(clock.dateAt(date.getTime())));
  };
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

/** Handles `timestamp('…')` and `duration('…')` with a string literal, which is parsed once. */
function literalTime({ op, args }: CheckedNode, handle: Handle): Handle | undefined {
  if (op !== 'call') return undefined;
  const [name, [text]] = args as [string, CheckedNode[]];
  if ((name !== 'timestamp' && name !== 'duration') || text?.op !== 'value') return undefined;
  if (typeof text.args !== 'string' || text.args.length > maxDurationLength) return undefined;
  let value: unknown;
  return (...operands) => (value ??= handle(...operands));
}

/** Returns whether the library treats a value as a map. */
export function isCelMap(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const constructor: unknown = value.constructor;
  return constructor === Object || constructor === undefined;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return value instanceof Set ? value.size : 0;
}
