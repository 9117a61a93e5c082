import type { ContentReader } from '../pipeline/box-content.ts';
import { type JsonObject, isJsonObject } from '../core/json/json.ts';

/** Handles one MCP request for resources or prompts. */
type ContentHandler = (params: JsonObject, signal: AbortSignal) => Promise<JsonObject> | JsonObject;

/** The resources and prompts of one server for MCP: its capabilities, and a handler for each method. */
export interface ServerContent {
  readonly capabilities: { readonly resources?: object; readonly prompts?: object };
  readonly methods: ReadonlyMap<string, ContentHandler>;
}

/** Returns the names of the servers that have resources or prompts. */
export function serversWithContent(reader: ContentReader): ReadonlySet<string> {
  const all = [...reader.resources(), ...reader.resourceTemplates(), ...reader.prompts()];
  return new Set(all.map(({ server }) => server));
}

/** Returns the content of one server for a client that sees the server under its own name. */
export function serverContent(server: string, reader: ContentReader): ServerContent {
  const ofServer = <Item extends { readonly server: string }>(items: readonly Item[]): Omit<Item, 'server'>[] =>
    items.filter((item) => item.server === server).map(({ server: _, ...item }) => item);
  const hasResources = ofServer(reader.resources()).length + ofServer(reader.resourceTemplates()).length > 0;
  const hasPrompts = ofServer(reader.prompts()).length > 0;
  const resources: readonly [string, ContentHandler][] = [
    ['resources/list', () => ({ resources: ofServer(reader.resources()) as JsonObject[] })],
    ['resources/templates/list', () => ({ resourceTemplates: ofServer(reader.resourceTemplates()) as JsonObject[] })],
    ['resources/read', (params, signal) => reader.readResource(server, textOf(params, 'uri'), signal)],
  ];
  const prompts: readonly [string, ContentHandler][] = [
    ['prompts/list', () => ({ prompts: ofServer(reader.prompts()) as JsonObject[] })],
    [
      'prompts/get',
      (params, signal) => reader.getPrompt(server, textOf(params, 'name'), textsOf(params['arguments']), signal),
    ],
  ];
  return {
    capabilities: { ...(hasResources ? { resources: {} } : {}), ...(hasPrompts ? { prompts: {} } : {}) },
    methods: new Map([...(hasResources ? resources : []), ...(hasPrompts ? prompts : [])]),
  };
}

function textOf(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new TypeError(`"${key}" must be a string`);
}

function textsOf(args: unknown): Record<string, string> {
  if (!isJsonObject(args)) return {};
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

/** Returns a prompt as one text: its messages in order, those of the assistant marked. */
export function promptText(result: JsonObject): string {
  const messages = Array.isArray(result['messages']) ? (result['messages'] as readonly PromptMessage[]) : [];
  return messages
    .map(({ role, content }) => `${role === 'assistant' ? 'Assistant: ' : ''}${partText(content)}`)
    .join('\n\n');
}

/** Returns the text of a resource. Binary content becomes a text that describes it. */
export function resourceText(result: JsonObject): string {
  const contents = Array.isArray(result['contents']) ? (result['contents'] as readonly JsonObject[]) : [];
  return contents.map(contentText).join('\n\n');
}

interface PromptMessage {
  readonly role?: unknown;
  readonly content?: { readonly type?: string; readonly text?: unknown; readonly resource?: JsonObject };
}

function partText(content: PromptMessage['content']): string {
  if (typeof content?.text === 'string') return content.text;
  return content?.resource === undefined ? `[${content?.type ?? 'nothing'}]` : contentText(content.resource);
}

function contentText({ uri, text, mimeType, blob }: JsonObject): string {
  if (typeof text === 'string') return text;
  const kilobytes = typeof blob === 'string' ? Math.ceil((blob.length * 0.75) / 1024) : 0;
  const type = typeof mimeType === 'string' ? mimeType : 'bytes';
  return `[resource ${JSON.stringify(uri)}: ${type}, ${kilobytes} KB, not shown as text]`;
}
