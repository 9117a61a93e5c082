import type { BoxContent } from '../../../call/content.ts';
import type { CatalogSnapshot } from '../../../catalog/snapshot.ts';
import type { CallOptions, CallResult, ToolReference } from '../../../model/call.ts';

/** What the endpoint needs of a Signalbox. */
export interface EndpointBox extends BoxContent {
  readonly version: string;
  /** The same object as long as nothing changed. */
  catalog(): CatalogSnapshot;
  call(tool: ToolReference, args?: unknown, options?: CallOptions): Promise<CallResult>;
  on(event: 'CatalogChanged', listener: (snapshot: CatalogSnapshot) => void): () => void;
}
