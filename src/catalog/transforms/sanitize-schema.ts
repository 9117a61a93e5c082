import { isJsonObject, maxJsonDepth } from '../../core/json/json.ts';
import { sanitizeText } from './sanitize-text.ts';
import { type SchemaObject, proseKeywords, schemaMapKeywords } from '../schema/schema-keywords.ts';

/** Keywords whose values a caller may have to send unchanged. */
const data = new Set(['default', 'const', 'enum', 'examples']);

/** Sanitizes titles and descriptions of a schema. Returns the same object when nothing changes. */
export function sanitizeSchema<Schema>(schema: Schema): Schema {
  return sanitizedPart(schema, 0) as Schema;
}

function sanitizedPart(part: unknown, depth: number): unknown {
  // The catalog rejects deeper schemas.
  if (typeof part !== 'object' || part === null || depth > maxJsonDepth) return part;
  if (Array.isArray(part)) return changed(part, (value) => sanitizedPart(value, depth + 1));
  return changed(part as SchemaObject, (value, keyword) => {
    if (data.has(keyword)) return value;
    if (typeof value === 'string') return proseKeywords.has(keyword) ? sanitizeText(value) : value;
    if (!schemaMapKeywords.has(keyword) || !isJsonObject(value)) return sanitizedPart(value, depth + 1);
    return changed(value, (inner) => sanitizedPart(inner, depth + 2));
  });
}

/** Returns the same object when no part changes. */
function changed<Whole extends readonly unknown[] | SchemaObject>(
  whole: Whole,
  change: (value: unknown, key: string) => unknown,
): Whole {
  const entries = Object.entries(whole).map(([key, value]) => [key, value, change(value, key)] as const);
  if (entries.every(([, before, after]) => before === after)) return whole;
  const after = entries.map(([key, , value]) => [key, value] as const);
  return (Array.isArray(whole) ? after.map(([, value]) => value) : Object.fromEntries(after)) as Whole;
}

/** Yields every text of a schema that a model can read, including names and values. */
export function* schemaTexts(part: unknown, depth = 0): Generator<string> {
  if (typeof part === 'string') yield part;
  if (typeof part !== 'object' || part === null || depth > maxJsonDepth) return;
  for (const [key, value] of Object.entries(part)) {
    if (!Array.isArray(part)) yield key;
    yield* schemaTexts(value, depth + 1);
  }
}
