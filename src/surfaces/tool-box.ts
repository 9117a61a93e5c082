import type { CallOptions, CallResult, ToolReference } from '../core/calls/call.ts';
import { messageOf } from '../core/errors.ts';
import { text } from '../core/tools/content.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';

/** The part of a Signalbox that a surface uses. */
export interface ToolBox {
  /** The tools that can be called now; the same array as long as nothing changed. */
  tools(): readonly ToolDefinition[];
  call(tool: ToolReference, args?: unknown, options?: CallOptions): Promise<CallResult>;
}

/** Options of the calls that a surface makes. */
export interface SurfaceCallOptions extends Omit<CallOptions, 'idempotencyKey' | 'definitionHash'> {
  /**
   * Runs each call id of the model only once, so that a turn that is delivered twice has its effects once. Only for models with unique call
   * ids within a session: some count from 0 in every response.
   */
  readonly oncePerId?: boolean;
}

/** Returns the options of one call, pinned to the definition that the model was shown. */
export function callOptions(
  { oncePerId, ...options }: SurfaceCallOptions,
  id: string | undefined,
  definitionHash: string | undefined,
): CallOptions {
  return {
    ...options,
    ...(definitionHash === undefined ? {} : { definitionHash }),
    ...(oncePerId === true && id !== undefined && id !== ''
      ? { idempotencyKey: JSON.stringify([options.session ?? null, id]) }
      : {}),
  };
}

const built = new WeakMap<
  ToolBox,
  Map<string, { readonly from: readonly ToolDefinition[]; readonly listing: unknown }>
>();

/** Builds a value from the tools of a box, once for each version of its catalog. The key identifies the value. */
export function oncePerCatalog<Listing>(
  box: ToolBox,
  key: string,
  build: (tools: readonly ToolDefinition[]) => Listing,
): Listing {
  const tools = box.tools();
  const listings = built.get(box) ?? new Map<string, { from: readonly ToolDefinition[]; listing: unknown }>();
  built.set(box, listings);
  const known = listings.get(key);
  if (known?.from === tools) return known.listing as Listing;
  const listing = build(tools);
  listings.set(key, { from: tools, listing });
  return listing;
}

/**
 * Runs a call with the arguments of a model: a value, or JSON text. Invalid JSON is passed on unchanged, so that the call is refused and
 * recorded like any other; its result then has the parse error.
 */
export async function callWithModelArguments(
  tool: string,
  input: unknown,
  call: (args: unknown) => Promise<CallResult>,
): Promise<CallResult> {
  const { value, problem } = typeof input === 'string' ? parsed(input) : { value: input, problem: undefined };
  const result = await call(value);
  if (problem === undefined || result.outcome === 'completed' || result.error.code !== 'arguments-invalid')
    return result;
  const message = `the arguments of ${tool} are not valid JSON (${problem}); send one JSON object`;
  return { ...result, error: { ...result.error, message }, content: [text(message)] };
}

function parsed(json: string): { readonly value: unknown; readonly problem?: string } {
  if (json.trim() === '') return { value: {} };
  try {
    return { value: JSON.parse(json) as unknown };
  } catch (error) {
    return { value: json, problem: messageOf(error) };
  }
}
