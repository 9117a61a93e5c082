import type { JsonValue } from '../../core/json/json.ts';

const maxLength = 200;

/** Converts a value of a condition to short, plain JSON for display. */
export function toDisplayValue(value: unknown): JsonValue {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'string':
      return truncate(value);
    case 'object':
      if (value === null) return null;
      if (value instanceof Date) return value.toISOString();
      if (value instanceof Set) return toDisplayValue([...value]);
      return toDisplayObject(value);
    case 'undefined':
    case 'function':
    case 'symbol':
      return `a ${typeof value}`;
  }
}

function toDisplayObject(value: object): JsonValue {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return 'an object';
  const text = jsonPrefixOf(value);
  return text.length <= maxLength ? (JSON.parse(text) as JsonValue) : truncate(text);
}

/** Returns the beginning of a value as JSON, a little more than is displayed. The rest of a large value is not serialized. */
function jsonPrefixOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, maxLength + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const key in value) {
    if (text.length > maxLength) return text;
    const inner = jsonPrefixOf((value as Readonly<Record<string, unknown>>)[key]);
    text += `${text.length === 1 ? '' : ','}${isList ? '' : `${JSON.stringify(key)}:`}${inner}`;
  }
  return text + (isList ? ']' : '}');
}

function truncate(text: string): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
