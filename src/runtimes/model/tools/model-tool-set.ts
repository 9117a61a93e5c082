import { type Tool, type ToolSet, jsonSchema, tool } from 'ai';
import { SchemaCompiler } from '../../../catalog/schema/schema-compiler.ts';
import { formatsByProvider, genericFormat } from '../../../surfaces/providers/formats.ts';
import { type ProviderSchema, toProviderSchema, toSdkOptions } from '../../../surfaces/providers/provider-format.ts';
import { restoreArguments } from '../../../surfaces/providers/provider-tools.ts';
import type { ModelTool } from '../step.ts';

type SchemaObject = Parameters<typeof jsonSchema>[0];

/** A tool as the AI SDK takes it, and the provider's form of its schema. */
interface SdkTool {
  readonly tool: Tool;
  readonly shape: ProviderSchema;
}

/** A definition never changes, so its provider's form is cached for as long as the definition lives. */
const shaped = new WeakMap<ModelTool, Map<string, SdkTool>>();

/** The tools of one step in the form of a provider. */
export class ModelToolSet {
  readonly set: ToolSet;
  readonly #shapes: ReadonlyMap<string, ProviderSchema>;

  /** The tools have no `execute`: the turn runs their calls, through the pipeline, which validates against the original schema. */
  constructor(definitions: readonly ModelTool[], provider: string) {
    const compiler = new SchemaCompiler();
    const tools = definitions.map(
      (definition) => [definition.name, shapedTool(definition, provider, compiler)] as const,
    );
    this.set = Object.fromEntries(tools.map(([name, { tool: one }]) => [name, one]));
    this.#shapes = new Map(tools.map(([name, { shape }]) => [name, shape]));
  }

  /** Returns the arguments of a call as the tool takes them, from those that follow the provider's form of its schema. */
  restore(name: string, input: unknown): unknown {
    return restoreArguments(this.#shapes.get(name), input);
  }
}

function shapedTool(definition: ModelTool, provider: string, compiler: SchemaCompiler): SdkTool {
  const byProvider = shaped.get(definition) ?? new Map<string, SdkTool>();
  shaped.set(definition, byProvider);
  const known = byProvider.get(provider) ?? shapeFor(definition, provider, compiler);
  byProvider.set(provider, known);
  return known;
}

function shapeFor(definition: ModelTool, provider: string, compiler: SchemaCompiler): SdkTool {
  const format = formatsByProvider.get(provider);
  const shape = toProviderSchema(definition, format ?? genericFormat, compiler);
  const options = definition.providerOptions && toSdkOptions(definition.providerOptions);
  // Signalbox has no strict form for other providers, so the tool's `strict` option is passed on with its unchanged schema.
  const strict = format === undefined ? options?.[provider]?.['strict'] : shape.strict;
  return {
    shape,
    tool: tool({
      description: definition.description,
      inputSchema: jsonSchema(shape.schema as SchemaObject),
      ...(options === undefined ? {} : { providerOptions: options }),
      ...(typeof strict === 'boolean' ? { strict } : {}),
    }),
  };
}
