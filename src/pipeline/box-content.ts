import type { Catalog } from '../catalog/catalog.ts';
import type {
  CompletionRequest,
  ContentListing,
  PromptDescription,
  ResourceDescription,
  ResourceTemplateDescription,
  SourceContent,
} from '../catalog/source/source-content.ts';
import type { Source } from '../catalog/source/source.ts';
import type { CallOptions, CallResult } from '../core/calls/call.ts';
import { SignalboxError, messageOf } from '../core/errors.ts';
import type { JsonObject } from '../core/json/json.ts';
import { CapabilityMissingError, RpcError } from '../core/tools/source-errors.ts';
import { type ContentMethod, fullName } from '../core/tools/tool-names.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** Options of a read. */
export type ReadOptions = Pick<
  CallOptions,
  | 'principal'
  | 'session'
  | 'signal'
  | 'deadline'
  | 'onProgress'
  | 'client'
  | 'profile'
  | 'permissionMode'
  | 'waitMs'
  | 'approve'
>;

/** Selects the view of one profile; without one, the whole catalog. */
export interface ViewOptions {
  readonly profile?: string | undefined;
}

/** A resource with its server. */
export type ServerResource = ResourceDescription & { readonly server: string };
/** A resource template with its server. */
export type ServerResourceTemplate = ResourceTemplateDescription & { readonly server: string };
/** A prompt with its server. */
export type ServerPrompt = PromptDescription & { readonly server: string };

/** Lists, reads and follows the resources of servers. */
export interface ResourcesApi {
  /** Returns the resources of all servers that are up; with a profile, only of the servers that it shows. */
  list(view?: ViewOptions): readonly ServerResource[];
  templates(view?: ViewOptions): readonly ServerResourceTemplate[];
  /** Reads a resource: `{ contents: […] }`. */
  read(server: string, uri: string, options?: ReadOptions): Promise<JsonObject>;
  /** Calls the listener whenever a resource changes, until the returned function is called. */
  subscribe(server: string, uri: string, listener: () => void, options?: ReadOptions): Promise<() => Promise<void>>;
}

/** Lists the prompts of servers, and fills them in. */
export interface PromptsApi {
  list(view?: ViewOptions): readonly ServerPrompt[];
  /** Fills in a prompt: `{ messages: […] }`. */
  get(
    server: string,
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: ReadOptions,
  ): Promise<JsonObject>;
}

/**
 * Resources, prompts and completion of servers. Each read is a call of `mcp__SERVER__resources/read` or a similar name, decided and recorded
 * like other calls. Results have the shape of MCP. Rejects with `content-denied` when a rule or a human denies the read, else with
 * a `SignalboxError` that describes the failure.
 */
export interface BoxContent {
  readonly resources: ResourcesApi;
  readonly prompts: PromptsApi;
  /** Completes an argument of a prompt or resource template: `{ completion: { values: […] } }`. */
  complete(server: string, request: CompletionRequest, options?: ReadOptions): Promise<JsonObject>;
}

/** The instructions for models of one server. */
export interface ServerInstructions {
  readonly server: string;
  readonly text: string;
}

/** Dependencies of `createContent`. */
export interface ContentParts {
  readonly catalog: Catalog;
  readonly redactor: Redactor;
  /** Makes a call through the whole pipeline. Rejects when the box is closed. */
  call(name: string, args: JsonObject, options: CallOptions): Promise<CallResult>;
}

/** Creates the access to resources and prompts. Each read is a call, which is limited, decided and recorded like any other. */
export function createContent(parts: ContentParts): BoxContent & {
  /** Returns the instructions of the servers that are up. */
  instructions(view?: ViewOptions): readonly ServerInstructions[];
} {
  const visibleSources = ({ profile }: ViewOptions = {}): readonly Source[] => {
    const servers = parts.catalog.contentServers(profile);
    return parts.catalog.available().filter(({ server }) => servers.has(server));
  };

  const listed = <List extends keyof ContentListing>(
    list: List,
    view: ViewOptions | undefined,
  ): (ContentListing[List][number] & { readonly server: string })[] =>
    visibleSources(view).flatMap((source) => {
      const items: readonly ContentListing[List][number][] = source.state().content?.[list] ?? [];
      return items.map((item) => ({ ...item, server: source.server }));
    });

  const read = async (
    server: string,
    tool: ContentMethod,
    args: JsonObject,
    options: ReadOptions = {},
  ): Promise<JsonObject> => {
    // Throws for an unknown server, because no call can be made to it.
    parts.catalog.source(server);
    const result = await parts.call(fullName({ server, tool }), args, options);
    // An unreachable server has no such tool; this throws with the reason.
    if (result.error?.code === 'tool-unknown') parts.catalog.reachable(server);
    if (result.outcome !== 'completed') throw toReadError(server, result);
    return result.structuredContent as JsonObject;
  };

  return {
    resources: {
      list: (view) => listed('resources', view),
      templates: (view) => listed('resourceTemplates', view),
      read: (server, uri, options) => read(server, 'resources/read', { uri }, options),
      async subscribe(server, uri, listener, options) {
        await read(server, 'resources/subscribe', { uri }, options);
        try {
          return await contentOf(parts.catalog.reachable(server)).subscribeResource(uri, listener);
        } catch (error) {
          if (error instanceof SignalboxError) throw error;
          const message = parts.redactor.text(messageOf(error));
          throw new SignalboxError('content-failed', `server "${server}": ${message}`, { cause: error });
        }
      },
    },
    prompts: {
      list: (view) => listed('prompts', view),
      get: (server, name, args = {}, options) => read(server, 'prompts/get', { name, arguments: args }, options),
    },
    instructions: (view) =>
      visibleSources(view).flatMap((source) => {
        const text = source.state().instructions?.trim() ?? '';
        return text === '' ? [] : { server: source.server, text };
      }),
    complete: (server, request, options) =>
      read(server, 'completion/complete', request as unknown as JsonObject, options),
  };
}

function contentOf(source: Source): SourceContent {
  if (source.content !== undefined) return source.content;
  throw new SignalboxError('content-failed', `server "${source.server}" has tools only, no resources or prompts`);
}

/** Returns the error for a read that did not complete, with the error of the server as its cause. */
function toReadError(server: string, result: CallResult): SignalboxError {
  const { outcome, error } = result;
  const message = error?.message ?? `the read ended as "${outcome}"`;
  if (error?.rpc !== undefined) {
    const { code, data } = error.rpc;
    const cause = new RpcError(code, message, data);
    return new SignalboxError('content-failed', `server "${server}": ${message}`, { cause });
  }
  if (error?.required !== undefined)
    return new SignalboxError('content-failed', message, {
      cause: new CapabilityMissingError(message, error.required),
    });
  if (error?.code === 'server-down') return new SignalboxError('server-unavailable', message);
  if (outcome === 'awaiting-approval')
    return new SignalboxError(
      'content-denied',
      `${message}. A human approves it with: signalbox approve ${result.approvalId}`,
    );
  if (outcome === 'denied') return new SignalboxError('content-denied', message);
  return new SignalboxError('content-failed', message);
}

/** The resources and prompts that one caller sees. Results have the shape of MCP; each read is recorded. */
export interface ContentReader {
  resources(): readonly ServerResource[];
  resourceTemplates(): readonly ServerResourceTemplate[];
  prompts(): readonly ServerPrompt[];
  readResource(server: string, uri: string, signal: AbortSignal): Promise<JsonObject>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<JsonObject>;
}

/** The part of a box that content is read from. */
export type ContentBox = Pick<BoxContent, 'resources' | 'prompts'>;

/** Returns a reader for one caller. It lists only the content that the caller's profile shows, and reads as the caller's principal. */
export function contentReader(
  { resources, prompts }: ContentBox,
  caller: Pick<ReadOptions, 'session' | 'principal' | 'profile'>,
): ContentReader {
  const view = { profile: caller.profile };
  return {
    resources: () => resources.list(view),
    resourceTemplates: () => resources.templates(view),
    prompts: () => prompts.list(view),
    readResource: (server, uri, signal) => resources.read(server, uri, { ...caller, signal }),
    getPrompt: (server, name, args, signal) => prompts.get(server, name, args, { ...caller, signal }),
  };
}
