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

/** A part of a tool that a provider's format cannot express. Signalbox still validates calls against the tool's own schema. */
export interface ToolWarning {
  /** The tool's name in Signalbox. */
  readonly tool: string;
  readonly message: string;
}

/** A tool in a provider's format. */
export interface ProviderTool extends ProviderSchema {
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** The tools of a box in a provider's format. */
export interface ProviderTools {
  readonly tools: readonly ProviderTool[];
  readonly warnings: readonly ToolWarning[];
  readonly byName: ReadonlyMap<string, ProviderTool>;
}

/** Converts tools to a provider's format. */
export function toProviderTools(definitions: readonly ToolDefinition[], format: ProviderFormat): ProviderTools {
  const names = fitNames(
    definitions.map(({ name }) => name),
    format.maxNameLength,
  );
  // The compiler is discarded with its compiled functions: only the compile errors are needed.
  const compiler = new SchemaCompiler();
  const tools = definitions.map((definition): ProviderTool => {
    const shape = toProviderSchema(definition, format, compiler);
    const name = names.get(definition.name) ?? definition.name;
    const warnings = name === definition.name ? shape.warnings : [`is renamed to "${name}"`, ...shape.warnings];
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

/** Returns the tools of a box in a provider's own types, built once for each version of the catalog. The key identifies the format. */
export function formatTools<Written>(
  box: ToolBox,
  key: string,
  format: ProviderFormat,
  write: (tool: ProviderTool) => Written,
): { readonly listing: ProviderTools; readonly written: readonly Written[] } {
  return oncePerCatalog(box, key, (definitions) => {
    const listing = toProviderTools(definitions, format);
    return { listing, written: listing.tools.map(write) };
  });
}

/** Runs a call that a model requested: `input` is an object, or JSON text. The outcome is `stale` if the tool has changed since it was listed. */
export async function callProviderTool(
  box: ToolBox,
  listing: ProviderTools,
  { id, name, input }: { readonly id: string | undefined; readonly name: string; readonly input: unknown },
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
export function restoreArguments(tool: Pick<ProviderSchema, 'restore'> | undefined, value: unknown): unknown {
  return tool?.restore === undefined || value === undefined ? value : tool.restore.apply(value as JsonValue);
}
