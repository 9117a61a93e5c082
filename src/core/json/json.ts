import { messageOf } from '../errors.ts';

/** A value that JSON can carry without loss. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns whether a JSON value is an object and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A JSON Schema as its author wrote it. Only a transform that hides or fixes arguments changes it. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** The result of `inspectJson`: the approximate size of the JSON, or the first problem. */
export type JsonInspection = { readonly ok: true; readonly size: number } | JsonProblem;

/** The place where a value is not JSON or exceeds the size limit, with the reason. */
export interface JsonProblem {
  readonly ok: false;
  readonly path: string;
  readonly problem: string;
  readonly tooLarge: boolean;
}

/** The maximum nesting of JSON that Signalbox reads. */
export const maxJsonDepth = 256;
const tooLargeMessage = 'more data than the limit allows';

class NotJson extends Error {
  /** The steps to the problem, innermost first. */
  readonly steps: (string | number)[] = [];
}

/**
 * Checks that a value is JSON: without cycles and without the BigInts, functions, NaN, Maps and class instances that JSON drops silently.
 * Stops at `maxSize` (roughly in characters of JSON), so that a huge value costs no more than the limit.
 */
export function inspectJson(value: unknown, maxSize = Number.POSITIVE_INFINITY): JsonInspection {
  try {
    return { ok: true, size: measure(value, maxSize, 0) };
  } catch (error) {
    const { steps, message } = notJson(error);
    return { ok: false, path: jsonPath(steps.toReversed()), problem: message, tooLarge: message === tooLargeMessage };
  }
}

function measure(value: unknown, room: number, depth: number): number {
  switch (typeof value) {
    case 'string':
      if (value.length > room) throw new NotJson(tooLargeMessage);
      return value.length + 2;
    case 'number':
      if (!Number.isFinite(value)) throw new NotJson(`${value} is not a JSON number`);
      return 8;
    case 'boolean':
      return 5;
    case 'object':
      if (value === null) return 4;
      if (depth === maxJsonDepth) throw new NotJson(`a cycle, or nesting deeper than ${maxJsonDepth} levels`);
      return Array.isArray(value) ? measureArray(value, room, depth) : measureObject(value, room, depth);
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      throw new NotJson(`${typeof value} has no form in JSON`);
  }
}

function measureArray(array: readonly unknown[], room: number, depth: number): number {
  assertNoToJson(array);
  let size = 2;
  for (let index = 0; index < array.length; index++) {
    try {
      size += measure(array[index], room - size, depth + 1) + 1;
      if (size > room) throw new NotJson(tooLargeMessage);
    } catch (error) {
      throw at(error, index);
    }
  }
  return size;
}

function measureObject(object: object, room: number, depth: number): number {
  if (!isPlainObject(object)) {
    const name = classNameOf(object);
    throw new NotJson(`${name === undefined ? 'an object with a prototype' : `a ${name}`} is not a plain object`);
  }
  assertNoToJson(object);
  let size = 2;
  for (const key in object) {
    try {
      const entry = (object as Record<string, unknown>)[key];
      if (entry === undefined) continue;
      size += key.length + 4 + measure(entry, room - size, depth + 1);
      if (size > room) throw new NotJson(tooLargeMessage);
    } catch (error) {
      throw at(error, key);
    }
  }
  return size;
}

/** Rejects `toJSON`, which may return anything, and a different value each time. */
function assertNoToJson(object: object): void {
  if ('toJSON' in object && typeof object.toJSON === 'function')
    throw new NotJson('an object with a toJSON method is not plain data');
}

function at(error: unknown, step: string | number): NotJson {
  const problem = notJson(error);
  problem.steps.push(step);
  return problem;
}

/** Converts any exception, because getters and proxies may throw anything. */
function notJson(error: unknown): NotJson {
  return error instanceof NotJson ? error : new NotJson(`reading it threw: ${messageOf(error)}`);
}

/** Returns whether an object is not an instance of a class. */
export function isPlainObject(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object);
  return prototype === Object.prototype || prototype === null;
}

/** Returns the name of an object's class; `undefined` when it has none. */
export function classNameOf(object: object): string | undefined {
  const name: unknown = (object.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

const maxPathLength = 200;

/** Renders a path in a JSON value: `$.items[2].price`, `$["odd key"]`. Cuts the middle out of a very long path. */
export function jsonPath(steps: readonly PropertyKey[]): string {
  let path = '$';
  for (const step of steps) path += rendered(step);
  return path.length <= maxPathLength ? path : `${path.slice(0, maxPathLength / 2)}…${path.slice(-maxPathLength / 2)}`;
}

function rendered(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const key = String(step);
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
