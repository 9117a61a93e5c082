import type { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { ArgumentRestorer } from './schema/argument-restorer.ts';
import type { SchemaObject } from './schema/subschemas.ts';

/** The part of a definition that its schema for a provider depends on. */
type SchemaSource = Pick<ToolDefinition, 'inputSchema' | 'providerOptions'>;

/** The limits and the schema conversion of a provider's tool format. */
export interface ProviderFormat {
  /** The maximum length of a tool name. */
  readonly maxNameLength: number;
  /** Converts a tool's schema to one that the provider accepts. */
  toSchema(definition: SchemaSource): ProviderSchema;
}

/** A schema that a provider accepts, and the conversion of arguments back to the tool's own schema. */
export interface ProviderSchema {
  readonly schema: SchemaObject;
  readonly warnings: readonly string[];
  /** Whether the provider enforces the schema. */
  readonly strict?: boolean;
  readonly restore?: Pick<ArgumentRestorer, 'apply'>;
}

const anyObjectSchema = { type: 'object' } as const;

/** The compile error of each schema; `undefined` for valid ones. */
const schemaProblems = new WeakMap<object, string | undefined>();

/**
 * Converts a tool's schema for a provider. An invalid schema is replaced by one that accepts any object, with a warning, because a provider may
 * refuse the whole request for it.
 */
export function toProviderSchema(
  definition: SchemaSource,
  format: ProviderFormat,
  compiler: SchemaCompiler,
): ProviderSchema {
  const problem = schemaProblem(definition.inputSchema, compiler);
  if (problem === undefined) return format.toSchema(definition);
  const { warnings, ...shape } = format.toSchema({ ...definition, inputSchema: anyObjectSchema });
  return { ...shape, warnings: [`its schema does not compile (${problem}); sent as an open object`, ...warnings] };
}

function schemaProblem(schema: ToolDefinition['inputSchema'], compiler: SchemaCompiler): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!schemaProblems.has(schema)) schemaProblems.set(schema, compiler.problem(schema));
  return schemaProblems.get(schema);
}

/** Returns the options that a tool's author set for one provider. */
export function optionsFor(definition: SchemaSource, provider: string): JsonObject {
  const options = definition.providerOptions?.[provider];
  return isJsonObject(options) ? options : {};
}

/** Returns the options of a tool that are objects, by provider; the AI SDK accepts no others. */
export function toSdkOptions(options: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(options).filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])),
  );
}

/** Reads a tool's options for OpenAI, written flat or, as Chat Completions has them, under `function`; a flat `strict` wins. */
export function openaiToolOptions(definition: SchemaSource): {
  readonly strict: JsonValue | undefined;
  readonly tool: JsonObject;
  readonly function: JsonObject;
} {
  const { function: nested, strict, ...tool } = optionsFor(definition, 'openai');
  const { strict: nestedStrict, ...own } = isJsonObject(nested) ? nested : {};
  return { strict: strict ?? nestedStrict, tool: toSnakeCase(tool), function: toSnakeCase(own) };
}

/** Converts option names from those of the AI SDK (`cacheControl`) to those of the providers' APIs (`cache_control`). */
export function toSnakeCase(options: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
