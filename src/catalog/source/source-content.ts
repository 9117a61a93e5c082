import type { Progress } from '../../core/calls/call.ts';
import type { ToolClient } from '../../core/calls/call-client.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';

/** A resource as its server describes it, in the shape of MCP. */
export type ResourceDescription = JsonObject & { readonly uri: string };

/** A resource template as its server describes it. */
export type ResourceTemplateDescription = JsonObject & { readonly uriTemplate: string };

/** A prompt as its server describes it. */
export type PromptDescription = JsonObject & { readonly name: string };

/** The resources and prompts of a server. The same object means that nothing changed. */
export interface ContentListing {
  readonly resources: readonly ResourceDescription[];
  readonly resourceTemplates: readonly ResourceTemplateDescription[];
  readonly prompts: readonly PromptDescription[];
}

/** A completion request for an argument of a prompt or a variable of a resource template. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** The values of the other arguments so far. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** Options of a request to a server. */
export interface ContentOptions {
  readonly signal: AbortSignal;
  readonly client?: ToolClient;
  readonly onProgress?: (progress: Progress) => void;
}

/** The requests to a server besides tool calls. Answers have the shape of MCP. */
export interface SourceContent {
  readResource(uri: string, options: ContentOptions): Promise<JsonObject>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, options: ContentOptions): Promise<JsonObject>;
  complete(request: CompletionRequest, options: ContentOptions): Promise<JsonObject>;
  /** Calls the listener whenever the resource changes, also after reconnections. The returned function unsubscribes. */
  subscribeResource(uri: string, listener: () => void): Promise<() => Promise<void>>;
}

/** The listing of a server without resources and prompts. */
export const noContent: ContentListing = { resources: [], resourceTemplates: [], prompts: [] };

/** Returns the valid entries of a server's lists. */
export function contentListing(lists: Readonly<Record<keyof ContentListing, readonly JsonValue[]>>): ContentListing {
  return {
    resources: having(lists.resources, 'uri') as ResourceDescription[],
    resourceTemplates: having(lists.resourceTemplates, 'uriTemplate') as ResourceTemplateDescription[],
    prompts: having(lists.prompts, 'name') as PromptDescription[],
  };
}

function having(items: readonly JsonValue[], key: string): JsonValue[] {
  return items.filter((item) => typeof (item as JsonObject | null)?.[key] === 'string');
}
