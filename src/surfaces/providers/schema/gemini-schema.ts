import { requiredOf } from '../../../catalog/schema/schema-keywords.ts';
import { type SchemaObject, isSchema, mapSubschemas, findSchema } from './subschemas.ts';

/**
 * Converts a JSON Schema for Gemini, which has two limits on references: a reference has no sibling keywords, and a schema refers
 * to itself only through an optional property. Sibling keywords are moved around the reference; an unsupported reference becomes
 * a schema that accepts anything.
 */
export function geminiSchema(root: SchemaObject): {
  readonly schema: SchemaObject;
  readonly warnings: readonly string[];
} {
  const endless = endlessReferences(root);
  const cut = new Set<string>();
  const convert = (given: boolean | SchemaObject): boolean | SchemaObject => {
    if (typeof given === 'boolean') return given;
    const schema = mapSubschemas(given, convert);
    const { $ref, ...beside } = schema;
    if ($ref === undefined) return schema;
    if (typeof $ref !== 'string' || endless.has($ref) || findSchema(root, $ref) === undefined) {
      cut.add(`the target of ${JSON.stringify($ref)}`);
      return beside;
    }
    const { anyOf, ...movable } = beside;
    if (anyOf !== undefined) cut.add('anyOf beside $ref');
    const moved = Object.keys(beside).some((keyword) => !keyword.startsWith('$'));
    return moved ? { ...movable, anyOf: [{ $ref }] } : schema;
  };
  const schema = convert(root);
  return {
    schema: typeof schema === 'boolean' ? {} : schema,
    warnings: cut.size === 0 ? [] : [`the schema for the model lacks ${[...cut].join(', ')}`],
  };
}

/** Returns the references that form a cycle without an optional property. */
function endlessReferences(root: SchemaObject): ReadonlySet<string> {
  const next = new Map<string, readonly string[]>();
  const visit = (reference: string): void => {
    if (next.has(reference)) return;
    const target = findSchema(root, reference);
    const found = target === undefined ? [] : neededReferences(target);
    next.set(reference, found);
    for (const other of found) visit(other);
  };
  for (const reference of allReferences(root)) visit(reference);
  return new Set([...next.keys()].filter((reference) => reaches(next, reference)));
}

function reaches(next: ReadonlyMap<string, readonly string[]>, reference: string): boolean {
  const seen = new Set<string>();
  const open = [...(next.get(reference) ?? [])];
  for (let other = open.pop(); other !== undefined; other = open.pop()) {
    if (other === reference) return true;
    if (seen.has(other)) continue;
    seen.add(other);
    open.push(...(next.get(other) ?? []));
  }
  return false;
}

function allReferences(schema: boolean | SchemaObject): readonly string[] {
  return references(schema, () => true);
}

/** Returns the references that every value of the schema must resolve. */
function neededReferences(schema: boolean | SchemaObject): readonly string[] {
  return references(schema, (holder, keyword, name) =>
    keyword === 'properties' ? requiredOf(holder).includes(name) : keyword !== '$defs' && keyword !== 'definitions',
  );
}

function references(
  schema: boolean | SchemaObject,
  follow: (holder: SchemaObject, keyword: string, name: string) => boolean,
): readonly string[] {
  if (typeof schema === 'boolean') return [];
  const found: string[] = typeof schema['$ref'] === 'string' ? [schema['$ref']] : [];
  mapSubschemas(schema, (subschema, keyword, name) => {
    if (isSchema(subschema) && follow(schema, keyword, name)) found.push(...references(subschema, follow));
    return subschema;
  });
  return found;
}
