import type { CallOptions, CallResult, ToolReference } from '../core/calls/call.ts';
import { messageOf } from '../core/errors.ts';
import { text } from '../core/tools/content.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';

/** What a surface needs of a Signalbox. */
export interface ToolBox {
  /** The tools that can be called now; the same array as long as nothing changed. */
  tools(): readonly ToolDefinition[];
  call(tool: ToolReference, args?: unknown, options?: CallOptions): Promise<CallResult>;
}

/** What a surface is told about the calls it makes. */
export interface SurfaceCallOptions extends Omit<CallOptions, 'idempotencyKey' | 'definitionHash'> {
  /**
   * Runs each call id of the model once, so that a turn which is delivered twice has its effects once. Only for models whose ids
   * are never used again within the session: some count from 0 in every answer.
   */
  readonly oncePerId?: boolean;
}

/** The options of one call: pinned to the definition the model was shown. */
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

/** Builds something from the tools of a box once for each version of its catalog. The key says what, and in which form. */
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
 * Makes a call with the arguments that a model wrote: a value, or JSON text. Text that does not parse is passed on as it is, so
 * that the call is refused and recorded like any other; its result then has the parse error.
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
