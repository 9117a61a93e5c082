import type { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { ArgumentRestorer } from './schema/argument-restorer.ts';
import type { SchemaObject } from './schema/subschemas.ts';

/** The part of a definition that a provider's form of the tool depends on. */
export type SchemaSource = Pick<ToolDefinition, 'inputSchema' | 'providerOptions'>;

/** What a provider takes as a tool. */
export interface ProviderFormat {
  /** The longest name it takes. */
  readonly maxNameLength: number;
  /** A tool's schema in the form it takes. */
  toSchema(definition: SchemaSource): ProviderSchema;
}

/** A schema as a provider takes it, and the way back for arguments that follow it. */
export interface ProviderSchema {
  readonly schema: SchemaObject;
  readonly warnings: readonly string[];
  /** The provider is to hold the model to the schema. */
  readonly strict?: boolean;
  readonly restore?: Pick<ArgumentRestorer, 'apply'>;
}

const anyObjectSchema = { type: 'object' } as const;

/** Why each schema does not compile; `undefined` for those that do. */
const schemaProblems = new WeakMap<object, string | undefined>();

/**
 * Returns a tool in a provider's form. A schema that does not compile is never sent: one provider would refuse the whole request
 * for it. The tool is offered with a schema that accepts any object instead, and a warning.
 */
export function toProviderSchema(
  definition: SchemaSource,
  dialect: ProviderFormat,
  compiler: SchemaCompiler,
): ProviderSchema {
  const problem = schemaProblem(definition.inputSchema, compiler);
  if (problem === undefined) return dialect.toSchema(definition);
  const { warnings, ...shape } = dialect.toSchema({ ...definition, inputSchema: anyObjectSchema });
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

/** The options of a tool for OpenAI, which may be written flat or, as Chat Completions has them, under `function`. */
export interface OpenaiToolOptions {
  readonly strict: JsonValue | undefined;
  readonly tool: JsonObject;
  readonly function: JsonObject;
}

/** Reads a tool's options for OpenAI from either form; a flat `strict` wins. */
export function openaiToolOptions(definition: SchemaSource): OpenaiToolOptions {
  const { function: nested, strict, ...tool } = optionsFor(definition, 'openai');
  const { strict: nestedStrict, ...own } = isJsonObject(nested) ? nested : {};
  return { strict: strict ?? nestedStrict, tool: toSnakeCase(tool), function: toSnakeCase(own) };
}

/** Options are written as in the AI SDK (`cacheControl`); the providers' own APIs write `cache_control`. */
export function toSnakeCase(options: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
