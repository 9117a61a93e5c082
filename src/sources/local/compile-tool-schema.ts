import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { type SchemaCompiler, type Validate, unusableSchemaNotice } from '../../catalog/schema/schema-compiler.ts';
import { firstProblems } from '../../catalog/schema/first-problems.ts';
import type { ParsedArguments } from '../../catalog/source/source.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { type JsonSchema, jsonPath } from '../../core/json/json.ts';

/** A compiled schema of any kind: its JSON Schema, and the function that validates and converts values. */
export interface CompiledToolSchema {
  readonly json: JsonSchema;
  readonly notices: readonly string[];
  /** The reason why the schema does not compile. `parse` then rejects all values. */
  readonly problem?: string;
  parse(value: unknown): ParsedArguments | Promise<ParsedArguments>;
  /** Present with a problem: validates as much as possible. */
  parseTrusting?(value: unknown): ParsedArguments;
}

/** Compiles Zod and other Standard Schemas, AI SDK schemas, shapes of Zod types and JSON Schema. `where` is for error messages. */
export function compileToolSchema(schema: unknown, compiler: SchemaCompiler, where: string): CompiledToolSchema {
  if (isStandard(schema)) return standard(schema, where);
  if (isAiSdkSchema(schema)) return aiSdk(schema, compiler, where);
  // The AI SDK also takes schemas wrapped in a function.
  if (typeof schema === 'function') return compileToolSchema((schema as () => unknown)(), compiler, where);
  if (isShape(schema)) return standard(objectOf(schema, where), where);
  if (isPromise(schema))
    throw new SignalboxError('schema-unsupported', `${where}: the schema is a promise; await it first`);
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
    return compiled(schema as JsonSchema, compiler);
  throw new SignalboxError(
    'schema-unsupported',
    `${where}: expected Zod, a Standard Schema or a JSON Schema object, found ${schema === null ? 'null' : typeof schema}`,
  );
}

interface ConvertibleSchema extends StandardSchemaV1 {
  readonly '~standard': StandardSchemaV1.Props & {
    readonly jsonSchema?: Record<'input', (options: { target: string }) => Record<string, unknown>>;
  };
}

function isStandard(schema: unknown): schema is ConvertibleSchema {
  return ((typeof schema === 'object' && schema !== null) || typeof schema === 'function') && '~standard' in schema;
}

function standard(schema: ConvertibleSchema, where: string): CompiledToolSchema {
  const properties = schema['~standard'];
  return {
    json: toJsonSchema(schema, where),
    notices: [],
    parse(value) {
      const result = properties.validate(value);
      return result instanceof Promise ? result.then(toParsed) : toParsed(result);
    },
  };
}

/** Converts to JSON Schema in input form: arguments before defaults and transforms, results as the handler returns them. */
function toJsonSchema(schema: ConvertibleSchema, where: string): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new SignalboxError(
      'schema-unsupported',
      `${where}: a schema made by "${vendor}" does not export JSON Schema ("~standard".jsonSchema); wrap it with the vendor's converter ` +
        `(for Valibot: toStandardJsonSchema of @valibot/to-json-schema) or give JSON Schema`,
    );
  }
  try {
    return jsonSchema.input({ target: 'draft-2020-12' });
  } catch (error) {
    throw new SignalboxError(
      'schema-unsupported',
      `${where}: the schema cannot be converted to JSON Schema: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function toParsed(result: StandardSchemaV1.Result<unknown>): ParsedArguments {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return {
    ok: false,
    problems: firstProblems(result.issues, ({ path, message }) => ({ path: pathOf(path ?? []), message })),
  };
}

function pathOf(path: readonly (PropertyKey | StandardSchemaV1.PathSegment)[]): string {
  return jsonPath(path.map((step) => (typeof step === 'object' ? step.key : step)));
}

interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => AiSdkValidation | Promise<AiSdkValidation>) | undefined;
}
type AiSdkValidation = { success: true; value: unknown } | { success: false; error: Error };

function isAiSdkSchema(schema: unknown): schema is AiSdkSchema {
  return typeof schema === 'object' && schema !== null && Symbol.for('vercel.ai.schema') in schema;
}

function aiSdk(schema: AiSdkSchema, compiler: SchemaCompiler, where: string): CompiledToolSchema {
  const json = aiSdkJson(schema, where);
  if (isPromise(json))
    throw new SignalboxError('schema-unsupported', `${where}: the AI SDK schema is a promise; await it first`);
  const { validate } = schema;
  if (validate === undefined) return compiled(json as JsonSchema, compiler);
  const toParsedArguments = (validation: AiSdkValidation): ParsedArguments =>
    validation.success
      ? { ok: true, value: validation.value }
      : {
          ok: false,
          problems: firstProblems([validation.error], (error) => ({ path: '$', message: messageOf(error) })),
        };
  return {
    json: json as JsonSchema,
    notices: [],
    parse(value) {
      const validation = validate(value);
      return validation instanceof Promise ? validation.then(toParsedArguments) : toParsedArguments(validation);
    },
  };
}

function aiSdkJson(schema: AiSdkSchema, where: string): unknown {
  try {
    return schema.jsonSchema;
  } catch (error) {
    throw new SignalboxError(
      'schema-unsupported',
      `${where}: the AI SDK schema cannot be converted to JSON Schema: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

function isPromise(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Returns whether a value is a plain object of Zod types, by which the Claude Agent SDK describes arguments. */
function isShape(schema: unknown): schema is Record<string, unknown> {
  return typeof schema === 'object' && schema !== null && Object.values(schema).some(isStandard);
}

function objectOf(shape: Record<string, unknown>, where: string): ConvertibleSchema {
  for (const [key, type] of Object.entries(shape)) {
    if (typeof type === 'object' && type !== null && '_zod' in type) continue;
    throw new SignalboxError(
      'schema-unsupported',
      `${where}: "${key}" is not a Zod 4 type, which every property of a shape must be; import { z } from version 4 of "zod"`,
    );
  }
  return z.object(shape as Record<string, z.ZodType>);
}

function compiled(schema: JsonSchema, compiler: SchemaCompiler): CompiledToolSchema {
  const result = compiler.compile(schema);
  if (!result.ok) {
    const trusted = compiler.compile(schema, { trust: true });
    return {
      json: schema,
      notices: [],
      problem: result.reason,
      parse: () => ({ ok: false, problems: [{ path: '$', message: unusableSchemaNotice(result.reason) }] }),
      parseTrusting: (value) => (trusted.ok ? parsedBy(trusted.validate, value) : { ok: true, value }),
    };
  }
  return { json: schema, notices: result.notices, parse: (value) => parsedBy(result.validate, value) };
}

function parsedBy(validate: Validate, value: unknown): ParsedArguments {
  const problems = validate(value);
  return problems === undefined ? { ok: true, value } : { ok: false, problems };
}
