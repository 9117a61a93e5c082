import type { CallOptions, CallResult, ToolReference } from '../core/calls/call.ts';
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
