import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import type { SourceTool } from '../../catalog/source/source.ts';
import type { ToolResult } from '../../core/tools/content.ts';
import type { ToolContext } from '../../core/tools/tool-context.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { type Effect, type ToolAnnotations, effects, isEffect } from '../../core/tools/tool.ts';
import type { FromJsonSchema } from './infer-json-schema.ts';

/** A schema for arguments or results: Zod, any Standard Schema that converts to JSON Schema, or JSON Schema itself. */
export type ToolSchema = (StandardSchemaV1 & StandardJSONSchemaV1) | { readonly [keyword: string]: unknown };

/** The type of the handler's arguments: the schema's output type, or the type that a JSON Schema literal describes. */
export type ToolArguments<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : unknown extends FromJsonSchema<Schema>
    ? Record<string, unknown>
    : FromJsonSchema<Schema>;

/** The return type of a handler with an output schema, besides a full result. */
export type ToolReturn<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferInput<Schema>
  : FromJsonSchema<Schema>;

/** The schema type of a tool without arguments. */
export type NoInput = { readonly type: 'object' };

/** The members that all tool objects share. */
export interface ToolBase {
  /** Preferably letters, digits, `-` and `_`; other characters are replaced in the name that models see. */
  readonly name: string;
  readonly title?: string;
  /** The description that models choose the tool by. */
  readonly description: string;
  /** The effect. Default: `read` with `annotations.readOnlyHint`, `compensable` with `undo`, else `irreversible`. */
  readonly effect?: Effect;
  readonly annotations?: ToolAnnotations;
  /** Whether running it twice with the same arguments has the effect of running it once. */
  readonly idempotent?: boolean;
  /** Labels for flow rules: the kind of data that it reads, or where it sends data. */
  readonly labels?: readonly string[];
  readonly timeoutMs?: number;
  /** `trust`: the tool can be called although its input schema does not compile. */
  readonly schema?: 'trust';
  /** Options for one model provider, by provider: `{ openai: { strict: true } }`. Written as in the AI SDK. */
  readonly providerOptions?: JsonObject;
  /** The directories that it writes to, when they differ from its server's. They are checkpointed before each call with the effect `undoable`. */
  readonly workspace?: readonly string[];
  /**
   * Runs the handler in a worker thread that can be killed: for work that keeps a processor busy. With `true` the handler may
   * use only its arguments and what it imports itself; with `import.meta.url` the worker imports the whole module.
   */
  readonly isolate?: boolean | string;
}

/** Everything about a tool, in one object. The handler may return any JSON value, content blocks or a full result. */
export interface Tool<Input extends ToolSchema> extends ToolBase {
  readonly input?: Input;
  readonly output?: undefined;
  /** Reverts a completed call. */
  undo?(args: ToolArguments<Input>, context: ToolContext): unknown;
  run(args: ToolArguments<Input>, context: ToolContext): unknown;
}

/** A tool with an output schema. */
export interface ToolWithOutput<Input extends ToolSchema, Output extends ToolSchema> extends ToolBase {
  readonly input?: Input;
  readonly output: Output;
  /** Reverts a completed call. */
  undo?(args: ToolArguments<Input>, context: ToolContext): unknown;
  run(
    args: ToolArguments<Input>,
    context: ToolContext,
  ): ToolReturn<Output> | ToolResult | Promise<ToolReturn<Output> | ToolResult>;
}

/** A tool with schemas of any type, as servers accept them. */
export interface SignalboxTool extends ToolBase {
  readonly input?: ToolSchema;
  readonly output?: ToolSchema | undefined;
  readonly forward?: SourceTool['forward'];
  readonly unlisted?: boolean;
  undo?(args: never, context: ToolContext): unknown;
  run(args: never, context: ToolContext): unknown;
}

/**
 * Defines a tool; the handler's arguments are typed by `input`.
 *
 * @example
 * const add = defineTool({
 *   name: 'add',
 *   description: 'Adds two numbers.',
 *   input: z.object({ a: z.number(), b: z.number() }),
 *   effect: 'read',
 *   run: ({ a, b }) => a + b,
 * });
 */
export function defineTool<const Input extends ToolSchema = NoInput>(tool: Tool<Input>): Tool<Input>;
export function defineTool<const Input extends ToolSchema = NoInput, const Output extends ToolSchema = NoInput>(
  tool: ToolWithOutput<Input, Output>,
): ToolWithOutput<Input, Output>;
export function defineTool(tool: SignalboxTool): SignalboxTool {
  assertTool(tool);
  return Object.freeze({ ...tool });
}

/** Throws when the definition of a tool is invalid. */
export function assertTool<Given extends SignalboxTool>(tool: Given): Given {
  if (typeof tool.name !== 'string' || tool.name === '')
    throw new SignalboxError('tool-invalid', 'a tool needs a name');
  if (typeof tool.description !== 'string' || tool.description === '') {
    throw new SignalboxError('tool-invalid', `tool "${tool.name}" needs a description, by which models choose it`);
  }
  if (tool.effect !== undefined && !isEffect(tool.effect))
    throw new SignalboxError(
      'tool-invalid',
      `tool "${tool.name}" has the effect ${JSON.stringify(tool.effect)}, which does not exist; use ${effects.join(', ')}`,
    );
  if (typeof tool.run !== 'function')
    throw new SignalboxError('tool-invalid', `tool "${tool.name}" needs a run function`);
  return tool;
}
