import { isDeepStrictEqual } from 'node:util';
import { SchemaCompiler } from '../../catalog/json-schema.ts';
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
import { type Dialect, type Shape, shapeTool } from './provider-format.ts';
import { fitNames } from './fit-names.ts';

/** Something a provider cannot be told about a tool. Signalbox checks calls against the tool's own schema all the same. */
export interface ToolWarning {
  /** The tool's name in Signalbox. */
  readonly tool: string;
  readonly message: string;
}

/** A tool as one provider is told of it. */
export interface ListedTool extends Shape {
  readonly name: string;
  readonly definition: ToolDefinition;
}

/** The tools of a box as one provider is told of them. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  readonly warnings: readonly ToolWarning[];
  readonly byName: ReadonlyMap<string, ListedTool>;
}

/** Writes the tools down for a provider. */
export function listTools(definitions: readonly ToolDefinition[], dialect: Dialect): Listing {
  const names = fitNames(
    definitions.map(({ name }) => name),
    dialect.longestName,
  );
  // The compiler is discarded with its compiled functions: only the compile errors are needed.
  const compiler = new SchemaCompiler();
  const tools = definitions.map((definition): ListedTool => {
    const shape = shapeTool(definition, dialect, compiler);
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
export function writeTools<Written>(
  box: ToolBox,
  key: string,
  dialect: Dialect,
  write: (tool: ListedTool) => Written,
): { readonly listing: Listing; readonly written: readonly Written[] } {
  return oncePerCatalog(box, key, (definitions) => {
    const listing = listTools(definitions, dialect);
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
export async function callListed(
  box: ToolBox,
  listing: Listing,
  { id, name, input }: ModelCall,
  options: SurfaceCallOptions = {},
): Promise<CallResult> {
  const tool = listing.byName.get(name);
  const called = tool?.definition.name ?? name;
  const nameOf = (wanted: ToolId): string | undefined =>
    listing.tools.find(({ definition }) => isDeepStrictEqual(definition.id, wanted))?.name;
  return callWithModelArguments(called, input, (args) =>
    box.call(called, restored(tool, args), {
      ...callOptions(options, id, tool?.definition.definitionHash),
      nameOf,
    }),
  );
}

function restored(tool: ListedTool | undefined, value: unknown): unknown {
  return tool?.restore === undefined || value === undefined ? value : tool.restore.apply(value as JsonValue);
}
