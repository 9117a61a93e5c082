import type { JsonObject } from '../core/json/json.ts';
import type { BoxContent, ReadOptions, ServerPrompt, ServerResource, ServerResourceTemplate } from './content.ts';

/** The resources and prompts that one caller sees. Answers have the shape of MCP; each reading is recorded. */
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
export type ContentBox = Pick<BoxContent, 'resources' | 'resourceTemplates' | 'prompts' | 'readResource' | 'getPrompt'>;

/** Returns a reader for one caller. It lists only the content that the caller's profile shows, and reads as the caller's principal. */
export function contentReader(
  box: ContentBox,
  caller: Pick<ReadOptions, 'session' | 'principal' | 'profile'>,
): ContentReader {
  const view = { profile: caller.profile };
  return {
    resources: () => box.resources(view),
    resourceTemplates: () => box.resourceTemplates(view),
    prompts: () => box.prompts(view),
    readResource: (server, uri, signal) => box.readResource(server, uri, { ...caller, signal }),
    getPrompt: (server, name, args, signal) => box.getPrompt(server, name, args, { ...caller, signal }),
  };
}
