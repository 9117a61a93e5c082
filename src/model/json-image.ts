import type { JsonObject, JsonValue } from './json.ts';
import { jsonPath } from './json-path.ts';

const maxDepth = 256;

/** The JSON form of a value, or where and why it has none. */
export type JsonImage =
  | { readonly ok: true; readonly json: JsonValue }
  | { readonly ok: false; readonly path: string; readonly problem: string };

/**
 * Returns the JSON form of a value that a schema's transform made: dates as ISO 8601 text, big integers as numbers while those are
 * exact and as text beyond, maps with text keys as objects, sets as lists, bytes as base64, instances by `toJSON` or their own
 * properties. Functions, symbols, cycles and instances without any own property have none.
 */
export function jsonImage(value: unknown): JsonImage {
  try {
    return { ok: true, json: imageOf(value, []) ?? null };
  } catch (error) {
    if (error instanceof NoImage) return { ok: false, path: jsonPath(error.path), problem: error.message };
    throw error;
  }
}

class NoImage extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], problem: string) {
    super(problem);
    this.path = path;
  }
}

type Path = readonly (string | number)[];

function imageOf(value: unknown, path: Path): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // As text, so that a condition that compares it fails instead of reading a wrong number.
      return Number.isFinite(value) ? value : String(value);
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    case 'undefined':
      return undefined;
    case 'object':
      return value === null ? null : imageOfObject(value, path);
    case 'function':
    case 'symbol':
      throw new NoImage(path, `a ${typeof value} has no form in JSON`);
  }
}

function imageOfObject(value: object, path: Path): JsonValue {
  if (path.length === maxDepth) throw new NoImage(path, `a cycle, or nesting deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) return value.map((each, index) => imageOf(each, [...path, index]) ?? null);
  if (value instanceof Date) return dateImage(value, path);
  if (value instanceof RegExp) return String(value);
  if (value instanceof Set) return imageOfObject([...value], path);
  if (value instanceof Map) return mapImage(value, path);
  if (ArrayBuffer.isView(value))
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return imageOf((value.toJSON as () => unknown)(), [...path, 'toJSON()']) ?? null;
  const entries = Object.entries(value);
  if (entries.length === 0 && !isPlainObject(value))
    throw new NoImage(path, `a ${nameOf(value)} has no form in JSON; give it a toJSON method`);
  return objectImage(entries, path);
}

function dateImage(date: Date, path: Path): JsonValue {
  if (Number.isNaN(date.getTime())) throw new NoImage(path, 'an invalid Date has no form in JSON');
  return date.toISOString();
}

function mapImage(map: ReadonlyMap<unknown, unknown>, path: Path): JsonValue {
  const entries = [...map];
  const isNamed = entries.every((entry): entry is [string, unknown] => typeof entry[0] === 'string');
  return isNamed ? objectImage(entries, path) : imageOfObject(entries, path);
}

function objectImage(entries: readonly (readonly [string, unknown])[], path: Path): JsonObject {
  const images = entries.map(([key, each]) => [key, imageOf(each, [...path, key])] as const);
  // Unlike assignment, this makes even `__proto__` a plain key.
  return Object.fromEntries(images.filter((entry): entry is readonly [string, JsonValue] => entry[1] !== undefined));
}

function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function nameOf(value: object): string {
  const name: unknown = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === 'string' && name !== '' ? name : 'object of an unnamed class';
}
