import { type JsonDocument, parseJsonDocument } from '../../file/json-document.ts';
import type { ClientReading, FileProblem } from '../client-reading.ts';

/** An object in the file of a client, with unknown properties. */
export type ServerFields = Readonly<Record<string, unknown>>;

/** The parsed file of a client. */
export interface ClientDocument {
  readonly root: ServerFields;
  lineOf(path: readonly string[]): number;
}

/** The document, or the problem that prevents reading it. */
export type ParsedDocument = ClientDocument | { readonly problem: FileProblem };

/** Reads JSON with comments and trailing commas. */
export function parseJsonFile(given: string): ParsedDocument {
  const text = given.replace(/^\ufeff/, '');
  if (text.trim() === '') return { root: {}, lineOf: () => 1 };
  let parsed: JsonDocument | undefined;
  const document = (): JsonDocument => (parsed ??= parseJsonDocument(text));
  // `JSON.parse` is much faster, and most files have no comments.
  const value = parseStrictJson(text) ?? document().value;
  if (value !== undefined)
    return { root: fieldsOf(value), lineOf: (path) => document().placeOf(document().offsetOf(path)).line };
  const [first = { offset: 0, message: 'expected an object' }] = document().problems;
  return { problem: { line: document().placeOf(first.offset).line, message: first.message } };
}

function parseStrictJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the reading of a file with a problem. */
export function unreadable(problem: FileProblem): ClientReading {
  return { servers: [], skipped: [], problems: [problem] };
}

/** Returns the value if it is an object, else an empty object. */
export function fieldsOf(value: unknown): ServerFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ServerFields) : {};
}

/** Returns an own property of an object, never an inherited one. */
export function field(fields: ServerFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}
