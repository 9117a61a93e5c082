import { requiredOf } from '../../catalog/schema/schema-keywords.ts';
import { type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { type ProviderFormat, type ProviderSchema, openaiToolOptions, optionsFor } from './provider-format.ts';
import { fitNames } from './fit-names.ts';
import { geminiSchema } from './schema/gemini-schema.ts';
import { objectRoot } from './schema/object-root.ts';
import { type StrictRules, anthropicStrict, openaiStrict, strictSchema } from './schema/strict-schema.ts';
import { type SchemaObject, mapSubschemas, namedSubschemas } from './schema/subschemas.ts';

/** Anthropic: JSON Schema without combinations at the root, and with simple argument names. */
export function anthropicFormat(strict = false): ProviderFormat {
  return {
    maxNameLength: 64,
    toSchema(definition) {
      const root = objectRoot(definition.inputSchema, ['anyOf', 'oneOf', 'allOf']);
      const wanted = optionsFor(definition, 'anthropic')['strict'] ?? strict;
      const strictly = wanted === true ? toStrictSchema(root.schema, root.warnings, anthropicStrict) : undefined;
      return strictly?.strict === true ? strictly : renameProperties(root.schema, strictly?.warnings ?? root.warnings);
    },
  };
}

/** OpenAI, both APIs: JSON Schema without combinations at the root, or its strict subset. */
export function openaiFormat(strict = false): ProviderFormat {
  return {
    maxNameLength: 64,
    toSchema(definition) {
      const root = objectRoot(definition.inputSchema, ['anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not']);
      const wanted = openaiToolOptions(definition).strict ?? strict;
      if (wanted !== true) return { schema: openaiSchema(root.schema), warnings: root.warnings, strict: false };
      const shape = toStrictSchema(root.schema, root.warnings, openaiStrict);
      return shape.strict === true ? shape : { ...shape, schema: openaiSchema(shape.schema) };
    },
  };
}

/** Gemini: JSON Schema with limits on references. All of its APIs accept names of 63 characters; some accept 64. */
export const geminiFormat: ProviderFormat = {
  maxNameLength: 63,
  toSchema({ inputSchema }) {
    const root = objectRoot(inputSchema, ['anyOf', 'oneOf', 'allOf', 'not']);
    const { schema, warnings } = geminiSchema(root.schema);
    return { schema, warnings: [...root.warnings, ...warnings] };
  },
};

/** Any other provider: JSON Schema without changes. */
export const genericFormat: ProviderFormat = {
  maxNameLength: 64,
  toSchema: ({ inputSchema }) => objectRoot(inputSchema, []),
};

/** The formats without strict mode, by the names of the providers in the AI SDK. */
export const formatsByProvider: ReadonlyMap<string, ProviderFormat> = new Map([
  ['anthropic', anthropicFormat()],
  ['openai', openaiFormat()],
  ['google', geminiFormat],
]);

/** Converts a schema for OpenAI, which refuses arrays without `items` and the schema `true`. Both mean "anything". */
function openaiSchema(schema: SchemaObject): SchemaObject {
  const converted = mapSubschemas(schema, (subschema, keyword) => {
    if (typeof subschema !== 'boolean') return openaiSchema(subschema);
    return subschema && keyword !== 'additionalProperties' ? {} : subschema;
  });
  const { type } = schema;
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return isArray && !Object.hasOwn(schema, 'items') ? { ...converted, items: {} } : converted;
}

function toStrictSchema(schema: SchemaObject, warnings: readonly string[], rules: StrictRules): ProviderSchema {
  const strict = strictSchema(schema, rules);
  return strict.ok
    ? { schema: strict.schema, warnings: [...warnings, ...strict.warnings], strict: true, restore: strict.restore }
    : { schema, warnings: [...warnings, `cannot be strict: ${strict.reason}`], strict: false };
}

/** Renames arguments that Anthropic does not accept: it allows up to 64 letters, digits, `_`, `.` and `-`. */
function renameProperties(schema: SchemaObject, warnings: readonly string[]): ProviderSchema {
  const properties = namedSubschemas(schema, 'properties');
  const odd = properties.map(([name]) => name).filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name));
  if (odd.length === 0) return { schema, warnings };
  const plain = properties.map(([name]) => name).filter((name) => !odd.includes(name));
  const names = fitNames([...plain.filter((name) => /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name)), ...odd], 64);
  const rename = (name: string): string => (odd.includes(name) ? (names.get(name) ?? name) : name);
  const back = new Map(odd.map((name) => [rename(name), name]));
  return {
    schema: {
      ...schema,
      properties: Object.fromEntries(properties.map(([name, property]) => [rename(name), property])),
      ...(schema['required'] === undefined ? {} : { required: requiredOf(schema).map(rename) }),
    },
    warnings: [
      ...warnings,
      ...odd.map((name) => `its argument ${JSON.stringify(name)} is renamed to "${rename(name)}"`),
    ],
    restore: { apply: (value) => renamed(value, back) },
  };
}

function renamed(value: JsonValue, back: ReadonlyMap<string, string>): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [back.get(name) ?? name, entry]));
}
