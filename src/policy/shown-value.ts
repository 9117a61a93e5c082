import type { JsonValue } from '../model/json.ts';

const longest = 200;

/** A value of a condition as it is told to people: plain JSON, and short. */
export function shownValue(value: unknown): JsonValue {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'string':
      return shortened(value);
    case 'object':
      if (value === null) return null;
      if (value instanceof Date) return value.toISOString();
      if (value instanceof Set) return shownValue([...value]);
      return shownObject(value);
    case 'undefined':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
  }
}

function shownObject(value: object): JsonValue {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length <= longest ? (JSON.parse(text) as JsonValue) : shortened(text);
}

function shortened(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
