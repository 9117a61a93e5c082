import type { CallResult } from '../../model/call.ts';
import { text } from '../../model/content.ts';
import { messageOf } from '../../model/errors.ts';
import type { JsonValue } from '../../model/json.ts';
import type { ToolDefinition } from '../../model/tool.ts';
import { type SurfaceCallOptions, type ToolBox, callOptions, oncePerCatalog } from '../tool-box.ts';
import type { Dialect, Shape } from './dialect.ts';
import { fitNames } from './names.ts';

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
  const tools = definitions.map((definition): ListedTool => {
    const shape = dialect.shape(definition);
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
  const read = typeof input === 'string' ? parsed(input) : { value: input };
  const args = read.problem === undefined && tool?.restore !== undefined ? restored(tool, read.value) : read.value;
  const result = await box.call(called, args, callOptions(options, id, tool?.definition.definitionHash));
  if (read.problem === undefined || result.outcome === 'completed' || result.error.code !== 'arguments-invalid')
    return result;
  const message = `the arguments of ${called} are not valid JSON (${read.problem}); send one JSON object`;
  return { ...result, error: { ...result.error, message }, content: [text(message)] };
}

/** What cannot be read is passed on as it is, so that the call is refused and recorded like any other. */
function parsed(json: string): { readonly value: unknown; readonly problem?: string } {
  if (json.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(json) as unknown };
  } catch (error) {
    return { value: json, problem: messageOf(error) };
  }
}

function restored(tool: ListedTool, value: unknown): unknown {
  return value === undefined ? value : tool.restore?.apply(value as JsonValue);
}
