import { type SchemaObject, mapSubschemas } from './subschemas.ts';

/** Converts a schema for OpenAI, which refuses arrays without `items` and the schema `true`. Both mean "anything". */
export function openaiSchema(schema: SchemaObject): SchemaObject {
  const converted = mapSubschemas(schema, (subschema, keyword) => {
    if (typeof subschema !== 'boolean') return openaiSchema(subschema);
    return subschema && keyword !== 'additionalProperties' ? {} : subschema;
  });
  const { type } = schema;
  const array = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return array && !Object.hasOwn(schema, 'items') ? { ...converted, items: {} } : converted;
}
