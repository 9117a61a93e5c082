import type { JsonSchema } from '../../core/json/json.ts';

/** A schema that is not a boolean, as its keywords. */
export type SchemaObject = Exclude<JsonSchema, boolean>;

/** Keywords with text for readers. */
export const proseKeywords: ReadonlySet<string> = new Set(['title', 'description', '$comment']);

/** Keywords whose values have arbitrary names as keys, not keywords. */
export const schemaMapKeywords: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Returns the names of the required properties. */
export function requiredOf({ required }: { readonly required?: unknown }): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Returns the part of a schema that a reference points to; `undefined` when it points outside the schema or to nothing. */
export function resolveReference(reference: string, root: JsonSchema): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const step of reference.split('/').slice(1)) {
    const key = decodeStep(step);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

/** Decodes a step of a JSON pointer in a URI fragment: percent-encoding first, then the escapes of the pointer. */
function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}
