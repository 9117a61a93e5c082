import type { BoxContent, ServerInstructions } from '../../pipeline/box-content.ts';
import type { ProfileSettings } from '../../catalog/profile.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { ResultPage } from '../../journal/store/store.ts';
import type { CallOptions, CallResult, ToolReference } from '../../core/calls/call.ts';
import type { AbortSignalLike } from '../../core/async/light-abort-signal.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';

/** The part of a Signalbox that an endpoint serves. */
export interface McpBox extends BoxContent {
  readonly version: string;
  /** The same object as long as nothing changed, profiles included. */
  catalog(view?: { readonly profile?: string }): CatalogSnapshot;
  /** Returns the tools that a client of this profile sees. */
  tools(view?: { readonly profile?: string }): readonly ToolDefinition[];
  readonly profiles: { list(): readonly { readonly name: string; readonly settings: ProfileSettings }[] };
  readonly servers: {
    /** Waits, for a bounded time, for servers that are starting. */
    started(options: { readonly profile?: string; readonly signal?: AbortSignalLike }): Promise<void>;
    instructions(view?: { readonly profile?: string }): readonly ServerInstructions[];
  };
  /** Reads a result that was too large to return whole. */
  readonly journal: {
    result(uri: string, page: { readonly offset: number; readonly limit: number }): Promise<ResultPage>;
  };
  call(tool: ToolReference, args?: unknown, options?: CallOptions): Promise<CallResult>;
  on(event: 'CatalogChanged', listener: (snapshot: CatalogSnapshot) => void): () => void;
}
