import { hash } from 'node:crypto';
import type { ToolContext } from '../../core/tools/tool-context.ts';
import { type ContentBlock, text } from '../../core/tools/content.ts';
import { type JsonObject, type JsonSchema, isJsonObject } from '../../core/json/json.ts';
import { type ContentMethod, fullName } from '../../core/tools/tool-names.ts';
import type { CatalogTool } from '../catalog-tool.ts';
import type { CompletionRequest, ContentOptions, SourceContent } from './source-content.ts';
import type { ParsedArguments, Source, SourceTool } from './source.ts';

interface ContentMethodSpec {
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Returns the problem with the arguments, if there is one. */
  problem(args: JsonObject): string | undefined;
  ask(content: SourceContent, args: JsonObject, options: ContentOptions): Promise<JsonObject>;
}

const textSchema = { type: 'string' };
const readsUri = {
  inputSchema: { type: 'object', properties: { uri: textSchema }, required: ['uri'], additionalProperties: false },
  problem: ({ uri }: JsonObject) => (typeof uri === 'string' ? undefined : '"uri" must be a string'),
};

const methods: Readonly<Record<ContentMethod, ContentMethodSpec>> = {
  'resources/read': {
    description: 'Reads a resource of the server.',
    ...readsUri,
    ask: (content, { uri }, options) => content.readResource(uri as string, options),
  },
  'resources/subscribe': {
    description: 'Reports changes of a resource of the server.',
    ...readsUri,
    // The caller subscribes once this is allowed: a subscription outlives the call.
    ask: () => Promise.resolve({}),
  },
  'prompts/get': {
    description: 'Gets a prompt of the server, filled in.',
    inputSchema: {
      type: 'object',
      properties: { name: textSchema, arguments: { type: 'object', additionalProperties: textSchema } },
      required: ['name', 'arguments'],
      additionalProperties: false,
    },
    problem: ({ name, arguments: given }) =>
      typeof name === 'string' && isJsonObject(given) && Object.values(given).every((each) => typeof each === 'string')
        ? undefined
        : '"name" must be a string, and "arguments" must be strings by name',
    ask: (content, { name, arguments: given }, options) =>
      content.getPrompt(name as string, given as Readonly<Record<string, string>>, options),
  },
  'completion/complete': {
    description: 'Suggests values for an argument of a prompt or a resource template of the server.',
    inputSchema: {
      type: 'object',
      properties: { ref: { type: 'object' }, argument: { type: 'object' }, context: { type: 'object' } },
      required: ['ref', 'argument'],
      additionalProperties: false,
    },
    problem: ({ ref, argument }) =>
      isJsonObject(ref) && isJsonObject(argument) ? undefined : '"ref" and "argument" must be objects',
    ask: (content, args, options) => content.complete(args as unknown as CompletionRequest, options),
  },
};

/** Resources and prompts pass as the server sends them. */
const noLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxMediaBytes: Number.MAX_SAFE_INTEGER };

/** Returns an MCP method of a server as a tool that reads, so that it passes the whole pipeline. */
export function contentTool(source: Source, method: ContentMethod): CatalogTool {
  const { description, inputSchema, problem, ask } = methods[method];
  const id = { server: source.server, tool: method };
  const shared = {
    id,
    name: fullName(id),
    description,
    inputSchema,
    annotations: { readOnlyHint: true },
    effect: 'read',
    idempotent: true,
    labels: source.labels ?? [],
  } as const;
  const offered: SourceTool = {
    ...shared,
    tool: method,
    notices: [],
    results: noLimits,
    returnsMcpResult: true,
    parse(args): ParsedArguments {
      const message = problem(args);
      return message === undefined ? { ok: true, value: args } : { ok: false, problems: [{ path: '$', message }] };
    },
    async run(args, context) {
      const { content } = source;
      if (content === undefined) throw new Error(`server "${source.server}" has tools only, no resources or prompts`);
      const result = await ask(content, args as JsonObject, optionsOf(context));
      return { content: textsOf(result), structuredContent: result };
    },
  };
  const definition = { ...shared, definitionHash: hash('sha256', JSON.stringify(shared), 'hex') };
  return { definition, source, offered, notices: [], flags: [] };
}

function optionsOf(context: ToolContext): ContentOptions {
  const { signal, client, progress } = context;
  return {
    signal,
    ...(client === undefined ? {} : { client }),
    ...(context.isFollowed === true ? { onProgress: progress } : {}),
  };
}

/** Returns the texts of the content, for the journal and for rules that recognize content that was read before. */
function textsOf({ contents, messages }: JsonObject): readonly ContentBlock[] {
  const items = [...(Array.isArray(contents) ? contents : []), ...(Array.isArray(messages) ? messages : [])];
  return items.flatMap((item) => {
    if (!isJsonObject(item)) return [];
    const inner = isJsonObject(item['content']) ? item['content'] : item;
    const found = inner['text'] ?? (isJsonObject(inner['resource']) ? inner['resource']['text'] : undefined);
    return typeof found === 'string' ? text(found) : [];
  });
}
