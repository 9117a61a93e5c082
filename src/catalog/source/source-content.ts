import type { Progress } from '../../core/calls/call.ts';
import type { ToolClient } from '../../core/calls/call-client.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';

/** Something that can be read, as its server describes it: the shape is MCP's. */
export type ResourceDescription = JsonObject & { readonly uri: string };

/** A family of things that can be read. */
export type ResourceTemplateDescription = JsonObject & { readonly uriTemplate: string };

/** A text that a server prepares for a model. */
export type PromptDescription = JsonObject & { readonly name: string };

/** What a server offers besides tools. The same object as before means that nothing changed. */
export interface ContentListing {
  readonly resources: readonly ResourceDescription[];
  readonly resourceTemplates: readonly ResourceTemplateDescription[];
  readonly prompts: readonly PromptDescription[];
}

/** What is to be completed: an argument of a prompt, or a variable of a resource template. */
export interface CompletionRequest {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  /** What the other arguments are already. */
  readonly context?: { readonly arguments?: Readonly<Record<string, string>> };
}

/** Who waits for an answer of a server, and how long. */
export interface ContentOptions {
  readonly signal: AbortSignal;
  readonly client?: ToolClient;
  readonly onProgress?: (progress: Progress) => void;
}

/** What can be asked of a server besides calling its tools. Answers have the shape that MCP gives them. */
export interface SourceContent {
  readResource(uri: string, options: ContentOptions): Promise<JsonObject>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, options: ContentOptions): Promise<JsonObject>;
  complete(request: CompletionRequest, options: ContentOptions): Promise<JsonObject>;
  /** Tells whenever the resource changes, over reconnections too, until what it returns is called. */
  subscribeResource(uri: string, listener: () => void): Promise<() => Promise<void>>;
}

/** Nothing besides tools. */
export const noContent: ContentListing = { resources: [], resourceTemplates: [], prompts: [] };

/** What a server listed, without what is none. */
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
