import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { withoutOwnMeta } from '../../core/tools/server-result.ts';

/** Limits of definitions. The largest definitions of published servers are a tenth of these. */
export const definitionLimits = {
  /** The limit for a description, a title, or the instructions of a server. Longer text is truncated. */
  maxProseLength: 16_384,
  maxNameLength: 1024,
  /** The limit for the schemas of one tool together. */
  maxSchemaLength: 512 * 1024,
  /** The limit for everything else in one definition, such as icons. */
  maxFieldsLength: 256 * 1024,
  maxTools: 2000,
  /** The limit for all definitions of one list. */
  maxListLength: 8 * 1024 * 1024,
} as const;

/** A definition within the limits, or the reason why it is omitted. */
export type LimitedDefinition =
  | { readonly definition: JsonObject; readonly notices: readonly string[]; readonly problem?: never }
  | { readonly problem: string; readonly definition?: never; readonly notices?: never };

/** Applies the limits to one list of a server, entry by entry. */
export class DefinitionBudget {
  readonly #maxCount: number;
  #count = 0;
  #length = 0;

  constructor(maxCount: number = Number.POSITIVE_INFINITY) {
    this.#maxCount = maxCount;
  }

  /** Returns a definition with its prose truncated, or the reason to omit it. Removes `_meta` keys that only Signalbox may set. */
  take(given: JsonObject): LimitedDefinition {
    const { maxNameLength, maxSchemaLength, maxFieldsLength, maxListLength } = definitionLimits;
    const { name, inputSchema, outputSchema, ...others } = given;
    if (typeof name === 'string' && name.length > maxNameLength)
      return {
        problem: `its name has ${count(name.length)} characters, more than the limit of ${count(maxNameLength)}`,
      };
    const schemas = lengthOf(inputSchema) + lengthOf(outputSchema);
    if (schemas > maxSchemaLength)
      return {
        problem: `its schemas have ${count(schemas)} characters, more than the limit of ${count(maxSchemaLength)}`,
      };
    const notices: string[] = [];
    const definition = withoutLargeFields(
      withoutOwnMeta(truncateProseFields(others, notices)),
      maxFieldsLength,
      notices,
    );
    const length = schemas + lengthOf(definition);
    if (this.#count >= this.#maxCount)
      return {
        problem: `its server has more than ${count(this.#maxCount)} entries, and the rest are not offered`,
      };
    if (this.#length + length > maxListLength)
      return {
        problem: `the definitions before it have ${count(this.#length)} characters, and all definitions of a server may have at most ${count(maxListLength)}`,
      };
    this.#count += 1;
    this.#length += length;
    return { definition: omitUndefined({ name, ...definition, inputSchema, outputSchema }), notices };
  }
}

/** Truncates the title and the description of a definition, and adds a notice for each. */
function truncateProseFields(fields: JsonObject, notices: string[]): JsonObject {
  const { maxProseLength } = definitionLimits;
  const truncate = (value: JsonValue, key: string): JsonValue => {
    if (typeof value !== 'string' || value.length <= maxProseLength) return value;
    notices.push(`its ${key} has ${count(value.length)} characters and is truncated to ${count(maxProseLength)}`);
    return truncateProse(value);
  };
  const changed = Object.entries(fields).map(([key, value]): [string, JsonValue] => {
    if (key === 'title' || key === 'description') return [key, truncate(value, key)];
    if (key === 'annotations' && isJsonObject(value) && typeof value['title'] === 'string')
      return [key, { ...value, title: truncate(value['title'], 'title') }];
    return [key, value];
  });
  return Object.fromEntries(changed);
}

/** Truncates a text that exceeds the limit for prose, and appends a note. */
export function truncateProse(text: string): string {
  const { maxProseLength } = definitionLimits;
  if (text.length <= maxProseLength) return text;
  return `${text.slice(0, maxProseLength)}… [truncated by Signalbox: the server sent ${count(text.length)} characters]`;
}

function withoutLargeFields(definition: JsonObject, maxLength: number, notices: string[]): JsonObject {
  const { title, description, ...fields } = definition;
  const length = lengthOf(fields);
  if (length <= maxLength) return definition;
  notices.push(
    `its other fields (${Object.keys(fields).slice(0, 5).join(', ')}) have ${count(length)} characters and are omitted`,
  );
  const { uri, uriTemplate, annotations } = fields;
  return Object.fromEntries(
    Object.entries({ title, description, uri, uriTemplate, annotations }).filter(
      ([key, value]) => value !== undefined && (key !== 'annotations' || lengthOf(value) <= maxLength / 2),
    ),
  ) as JsonObject;
}

function lengthOf(value: JsonValue | undefined): number {
  return value === undefined ? 0 : JSON.stringify(value).length;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
