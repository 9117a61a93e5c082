import { isProxy } from 'node:util/types';
import { type JsonObject, type JsonValue, classNameOf, isPlainObject, jsonPath, maxJsonDepth } from './json.ts';

/** The value that a tool receives with its JSON form, or the location and reason of a value without one. */
export type JsonForm =
  | { readonly ok: true; readonly json: JsonValue; readonly value: unknown }
  | { readonly ok: false; readonly path: string; readonly problem: string };

/**
 * Returns the JSON form of a value that a schema's transform produced, and the value that the handler receives. Dates become ISO 8601
 * strings; BigInts become numbers, or strings when a number is not exact; maps with string keys become objects, sets become arrays, bytes
 * become base64; instances are converted by the `toJSON` of their class or by their own properties. Both results come from a single read:
 * plain objects, arrays and built-in objects are copied, so a getter, a proxy or a later change cannot give the handler another value.
 * Functions, symbols, cycles, objects with their own `toJSON` and instances without own properties have no JSON form.
 */
export function toJsonForm(value: unknown): JsonForm {
  try {
    const { json, value: copy } = formOf(value, []);
    return { ok: true, json: json ?? null, value: copy };
  } catch (error) {
    if (error instanceof NoJsonFormError) return { ok: false, path: jsonPath(error.path), problem: error.message };
    throw error;
  }
}

/** Returns a copy of plain data, reading each property once; `undefined` for anything that JSON cannot represent exactly. */
export function plainCopy(value: unknown, depth = 0): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'object':
      if (value === null) return null;
      if (depth === maxJsonDepth || 'toJSON' in value) return undefined;
      return Array.isArray(value) ? copyList(value, depth) : copyObject(value, depth);
    case 'bigint':
    case 'undefined':
    case 'function':
    case 'symbol':
      return undefined;
  }
}

function copyList(list: readonly unknown[], depth: number): JsonValue | undefined {
  const copy: JsonValue[] = [];
  for (const each of list) {
    const copied = plainCopy(each, depth + 1);
    if (copied === undefined) return undefined;
    copy.push(copied);
  }
  return copy;
}

function copyObject(object: object, depth: number): JsonObject | undefined {
  if (!isPlainObject(object)) return undefined;
  const copy: Record<string, JsonValue> = {};
  for (const key of Object.keys(object)) {
    // Assigning this key would set the prototype.
    if (key === '__proto__') return undefined;
    const each = (object as Readonly<Record<string, unknown>>)[key];
    if (each === undefined) continue;
    const copied = plainCopy(each, depth + 1);
    if (copied === undefined) return undefined;
    copy[key] = copied;
  }
  return copy;
}

class NoJsonFormError extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], problem: string) {
    super(problem);
    this.path = path;
  }
}

type Path = readonly (string | number)[];

/** A value and its JSON form, which is `undefined` when there is none. */
interface Image {
  readonly json: JsonValue | undefined;
  readonly value: unknown;
}

function formOf(value: unknown, path: Path): Image {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return { json: value, value };
    case 'number':
      // Converted to a string, so that a condition that compares it fails instead of reading a wrong number.
      return { json: Number.isFinite(value) ? value : String(value), value };
    case 'bigint':
      return { json: Number.isSafeInteger(Number(value)) ? Number(value) : String(value), value };
    case 'undefined':
      return { json: undefined, value };
    case 'object':
      return value === null ? { json: null, value } : imageOfObject(value, path);
    case 'function':
    case 'symbol':
      throw new NoJsonFormError(path, `a ${typeof value} has no form in JSON`);
  }
}

function imageOfObject(value: object, path: Path): Image {
  if (path.length === maxJsonDepth)
    throw new NoJsonFormError(path, `a cycle, or nesting deeper than ${maxJsonDepth} levels`);
  if (Object.hasOwn(value, 'toJSON'))
    throw new NoJsonFormError(
      path,
      'an object with its own toJSON method could give the handler a different value; return plain data',
    );
  if (Array.isArray(value)) return listImage(value, path);
  if (isPlainObject(value)) return objectImage(Object.entries(value), path);
  // A proxy handler can return a different value for each read.
  if (isProxy(value))
    throw new NoJsonFormError(path, 'a proxy of a class instance has no form in JSON; return the instance');
  return builtInImage(value, path) ?? instanceImage(value, path);
}

/** Returns the image of a built-in object. The handler receives a copy without the additions of a subclass or of own properties. */
function builtInImage(value: object, path: Path): Image | undefined {
  if (value instanceof Date) return dateImage(value, path);
  if (value instanceof RegExp) {
    const copy = new RegExp(value.source, value.flags);
    return { json: String(copy), value: copy };
  }
  if (value instanceof URL) {
    const copy = new URL(value.href);
    return { json: copy.href, value: copy };
  }
  if (value instanceof Set) {
    const { json, value: items } = listImage([...Set.prototype.values.call(value)], path);
    return { json, value: new Set(items as unknown[]) };
  }
  if (value instanceof Map) return mapImage(value, path);
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    return { json: bytes.toString('base64'), value: Buffer.isBuffer(value) ? bytes : structuredClone(value) };
  }
  return undefined;
}

/** Returns the image of an instance of a tool's own class, as converted by that class. The handler receives the instance itself. */
function instanceImage(value: object, path: Path): Image {
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return { json: formOf((value.toJSON as () => unknown)(), [...path, 'toJSON()']).json ?? null, value };
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, { enumerable }]) => enumerable);
  if (properties.length === 0)
    throw new NoJsonFormError(
      path,
      `a ${classNameOf(value) ?? 'object of an unnamed class'} has no form in JSON; give its class a toJSON method`,
    );
  const getter = properties.find(([, { get }]) => get !== undefined);
  if (getter !== undefined)
    throw new NoJsonFormError(
      [...path, getter[0]],
      'a getter could return a different value to the handler; return plain data',
    );
  const entries = properties.map(([key, property]) => [key, property.value as unknown] as const);
  return { json: objectImage(entries, path).json, value };
}

function dateImage(date: Date, path: Path): Image {
  const time = Date.prototype.getTime.call(date);
  if (Number.isNaN(time)) throw new NoJsonFormError(path, 'an invalid Date has no form in JSON');
  const copy = new Date(time);
  return { json: copy.toISOString(), value: copy };
}

function mapImage(map: ReadonlyMap<unknown, unknown>, path: Path): Image {
  const entries = [...Map.prototype.entries.call(map)] as [unknown, unknown][];
  const hasStringKeys = entries.every((entry): entry is [string, unknown] => typeof entry[0] === 'string');
  const { json, value } = hasStringKeys ? objectImage(entries, path) : listImage(entries, path);
  return { json, value: new Map(hasStringKeys ? Object.entries(value as object) : (value as [unknown, unknown][])) };
}

function listImage(list: readonly unknown[], path: Path): Image {
  const images = Array.from(list, (each, index) => formOf(each, [...path, index]));
  return { json: images.map(({ json }) => json ?? null), value: images.map(({ value }) => value) };
}

function objectImage(entries: readonly (readonly [string, unknown])[], path: Path): Image {
  const images = entries.map(([key, each]) => [key, formOf(each, [...path, key])] as const);
  const shown = images.flatMap(([key, { json }]) => (json === undefined ? [] : [[key, json] as const]));
  // Unlike assignment, this makes even `__proto__` an ordinary key.
  return {
    json: Object.fromEntries(shown),
    value: Object.fromEntries(images.map(([key, { value }]) => [key, value])),
  };
}
