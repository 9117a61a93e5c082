import { hash } from 'node:crypto';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { schemaMapKeywords } from '../schema/schema-keywords.ts';

/** Keywords whose values are used unchanged. */
const data = new Set(['default', 'const', 'examples']);
/** Keywords whose values are lists without a significant order. */
const sets = new Set(['required', 'enum', 'type']);

/** Returns the value with all keys sorted. Does not implement RFC 8785, which rejects lone surrogates that servers do send. */
export function canonicalJson(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(canonicalJson);
  return isJsonObject(value) ? mapSorted(value, canonicalJson) : value;
}

/** A date, or a date with a time. */
const dateText = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Returns the object with sorted keys and without dates, as text or as seconds or milliseconds since 1970. Servers that add the
 * creation time to a list send another date each time, and a date cannot instruct a model.
 */
export function withoutDates(object: JsonObject): JsonObject {
  const undatedEntries = Object.entries(object).filter(([, value]) => !isDate(value));
  return mapSorted(Object.fromEntries(undatedEntries), (value) => undated(value));
}

function undated(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(undated);
  return isJsonObject(value) ? withoutDates(value) : value;
}

function isDate(value: JsonValue): boolean {
  if (typeof value === 'string') return dateText.test(value);
  return typeof value === 'number' && ((value >= 1e9 && value < 1e10) || (value >= 1e12 && value < 1e13));
}

/** Returns a schema with sorted keys, and with all lists sorted whose order is insignificant. */
export function canonicalSchema(schema: JsonValue): JsonValue {
  if (isList(schema)) return schema.map(canonicalSchema);
  if (!isJsonObject(schema)) return schema;
  return mapSorted(schema, (value, keyword) => {
    if (data.has(keyword)) return canonicalJson(value);
    if (schemaMapKeywords.has(keyword) && isJsonObject(value)) return mapSorted(value, canonicalSchema);
    if (!sets.has(keyword) || !isList(value)) return canonicalSchema(value);
    return value.every((each) => typeof each === 'string') ? value.toSorted() : value.map(canonicalJson);
  });
}

/** Returns the hash of a value in canonical form. */
export function hashOf(canonical: JsonValue): string {
  return hash('sha256', JSON.stringify(canonical), 'hex');
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function mapSorted(object: JsonObject, change: (value: JsonValue, key: string) => JsonValue): JsonObject {
  const entries = Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value, key)]));
}
