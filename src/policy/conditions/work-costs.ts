import type { WorkBudget } from './work-budget.ts';

/*
 * The units of work of operations, by the sizes of their operands. Each is an upper bound of measurements with the
 * worst operands of that size (`npm run bench -- conditions`).
 */

/** Evaluating one part of a condition. */
export const partWork = 4;
/** An error of CEL's evaluator, besides the text of the condition that its message shows. */
export const errorWork = 100;
/** Reading the history of a session. */
export const historyWork = 50;
/** Computing a date in a time zone in CEL's evaluator, which creates a formatter each time. */
export const zonedDateWork = 6000;

/** Computing a date in a time zone with a cached formatter. */
export const zoneClockWork = 300;

/** Copying, folding or comparing a text. */
export function textWork(length: number): number {
  return 1 + length * 0.5;
}

/** Comparing two texts, up to this length. */
export function comparedTextWork(length: number): number {
  return 1 + length * 0.3;
}

/** Joining two texts, whose characters are copied when they are read. */
export function joinWork(length: number): number {
  return 1 + length * 0.2;
}

/** Counting the characters of a text, or splitting it into characters. */
export function charactersWork(length: number): number {
  return 1 + length;
}

/** Searching for a text. V8 is linear for short texts; for longer ones it compares the whole text at each position in the worst case. */
export function searchWork(text: number, sought: number): number {
  return 1 + text * 0.7 + (sought > 200 ? text * sought * 0.02 : 0);
}

/** Searching for the parts of a pattern in order. */
export function likeWork(text: number, pattern: string): number {
  const longest = pattern.length <= 200 ? pattern.length : Math.max(...pattern.split('*').map(({ length }) => length));
  return pattern.length + searchWork(text, longest);
}

/** Splitting a text at a separator. */
export function splitWork(text: number, separator: number): number {
  return searchWork(text, separator) + (text / Math.max(1, separator) + 1) * 2;
}

/** Charges for comparing two values in depth, at most until one of them ends. */
export function chargeComparison(left: unknown, right: unknown, work: WorkBudget): void {
  work.charge(4);
  if (left === right && typeof left !== 'string') return;
  if (typeof left === 'string') {
    if (typeof right === 'string' && left.length === right.length) work.charge(left.length * 0.3);
    return;
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return;
  if (left instanceof Set || right instanceof Set) return work.charge(sizeOf(left) + sizeOf(right));
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return;
    for (let index = 0; index < left.length; index += 1) chargeComparison(left[index], right[index], work);
    return;
  }
  const keys = work.keysOf(left);
  if (keys.length !== work.keysOf(right).length) return;
  for (const key of keys) chargeComparison((left as Keyed)[key], (right as Keyed)[key], work);
}

/** Charges for looking for a value in a list. */
export function chargeMembership(value: unknown, list: unknown, work: WorkBudget): void {
  if (list instanceof Set) work.charge(list.size * 3);
  else if (Array.isArray(list)) for (const each of list as readonly unknown[]) chargeComparison(value, each, work);
}

/** CEL's evaluator derives the name of a type from the nested first elements, and caches every name. */
const maxNamedDepth = 16;

/** Charges for naming the type of a value. Throws for values that are nested too deeply for it. */
export function chargeTypeName(value: unknown, work: WorkBudget): void {
  let inner = value;
  for (let depth = 0; typeof inner === 'object' && inner !== null; depth += 1) {
    if (depth > maxNamedDepth) throw new Error(`a value is nested deeper than ${maxNamedDepth} levels`);
    inner = firstIn(inner, work);
  }
}

/** Returns the first value in a list or a plain object, and charges for finding it. */
function firstIn(value: object, work: WorkBudget): unknown {
  if (Array.isArray(value)) return value[0] as unknown;
  if (!isRecord(value)) return undefined;
  const [first] = work.keysOf(value);
  return first === undefined ? undefined : (value as Keyed)[first];
}

type Keyed = Readonly<Record<string, unknown>>;

function isRecord(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function sizeOf(value: object): number {
  if (value instanceof Set) return value.size * 3;
  return Array.isArray(value) ? value.length * 3 : 1;
}
