import { isDeepStrictEqual } from 'node:util';
import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { CallResult } from '../../core/calls/call.ts';
import type { JsonValue } from '../../core/json/json.ts';
import type { ToolDefinition, ToolId } from '../../core/tools/tool.ts';
import {
  type SurfaceCallOptions,
  type ToolBox,
  callOptions,
  callWithModelArguments,
  oncePerCatalog,
} from '../tool-box.ts';
import { type ProviderFormat, type ProviderSchema, toProviderSchema } from './provider-format.ts';
import { fitNames } from './fit-names.ts';

/** Something a provider cannot be told about a tool. Signalbox checks calls against the tool's own schema all the same. */
export interface ToolWarning {
  /** The tool's name in Signalbox. */
  readonly tool: string;
  readonly message: string;
}

/** A tool as one provider is told of it. */
export interface ProviderTool extends ProviderSchema {
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** The tools of a box as one provider is told of them. */
export interface ProviderTools {
  readonly tools: readonly ProviderTool[];
  readonly warnings: readonly ToolWarning[];
  readonly byName: ReadonlyMap<string, ProviderTool>;
}

/** Writes the tools down for a provider. */
export function toProviderTools(definitions: readonly ToolDefinition[], dialect: ProviderFormat): ProviderTools {
  const names = fitNames(
    definitions.map(({ name }) => name),
    dialect.maxNameLength,
  );
  // The compiler is discarded with its compiled functions: only the compile errors are needed.
  const compiler = new SchemaCompiler();
  const tools = definitions.map((definition): ProviderTool => {
    const shape = toProviderSchema(definition, dialect, compiler);
    const name = names.get(definition.name) ?? definition.name;
    const warnings = name === definition.name ? shape.warnings : [`is told as "${name}"`, ...shape.warnings];
    return { ...shape, warnings, name, definition };
  });
  return {
    tools,
    warnings: tools.flatMap(({ definition, warnings }) =>
      warnings.map((message) => ({ tool: definition.name, message })),
    ),
    byName: new Map(tools.map((tool) => [tool.name, tool])),
  };
}

/** The tools of a box in a provider's own form, written once for each version of the catalog. The key names the form. */
export function formatTools<Written>(
  box: ToolBox,
  key: string,
  dialect: ProviderFormat,
  write: (tool: ProviderTool) => Written,
): { readonly listing: ProviderTools; readonly written: readonly Written[] } {
  return oncePerCatalog(box, key, (definitions) => {
    const listing = toProviderTools(definitions, dialect);
    return { listing, written: listing.tools.map(write) };
  });
}

/** A model's wish to call a tool, whatever its provider calls the parts. */
export interface ModelCall {
  readonly id: string | undefined;
  readonly name: string;
  /** An object, or JSON text. */
  readonly input: unknown;
}

/** Makes a model's call, of the tool that was listed: where that has changed since, the outcome is `stale`. */
export async function callProviderTool(
  box: ToolBox,
  listing: ProviderTools,
  { id, name, input }: ModelCall,
  options: SurfaceCallOptions = {},
): Promise<CallResult> {
  const tool = listing.byName.get(name);
  const called = tool?.definition.name ?? name;
  const nameOf = (wanted: ToolId): string | undefined =>
    listing.tools.find(({ definition }) => isDeepStrictEqual(definition.id, wanted))?.name;
  return callWithModelArguments(called, input, (args) =>
    box.call(called, restoreArguments(tool, args), {
      ...callOptions(options, id, tool?.definition.definitionHash),
      nameOf,
    }),
  );
}

/** Converts arguments that follow the provider’s schema back to those of the tool’s own schema. */
export function restoreArguments(tool: ProviderTool | undefined, value: unknown): unknown {
  return tool?.restore === undefined || value === undefined ? value : tool.restore.apply(value as JsonValue);
}
