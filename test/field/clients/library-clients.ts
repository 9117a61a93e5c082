import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type WireResult, connectV1, toClientResult } from './sdk-clients.ts';
import type { ClientCallResult } from './steps.ts';
import type { FieldClient, Target } from './target.ts';

const elicited = { action: 'accept', content: { name: 'Ada' } } as const;

/** Clients of agent frameworks, from npm. The interfaces below contain only the members that are used. */
export const libraryClients: readonly FieldClient[] = [
  {
    name: 'AI SDK',
    package: '@ai-sdk/mcp@2.0.96',
    async connect(target) {
      const { createMCPClient, ElicitationRequestSchema } = await importPackage<{
        createMCPClient(options: object): Promise<AiClient>;
        ElicitationRequestSchema: unknown;
      }>(target, '@ai-sdk/mcp@2.0.96');
      const client = await createMCPClient({
        transport: { type: 'http', url: target.url, headers: authorization(target) },
        capabilities: { elicitation: {} },
      });
      client.onElicitationRequest(ElicitationRequestSchema, () => elicited);
      return {
        list: async () => (await client.listTools()).tools.map(({ name }) => name),
        call: async (name, args, { signal } = {}) =>
          toClientResult(
            await client.callTool({ name, arguments: args, options: signal === undefined ? {} : { signal } }),
          ),
        unable: { progress: 'the client has no callback for progress' },
        close: () => client.close(),
      };
    },
  },
  {
    name: 'LangChain',
    package: '@langchain/mcp-adapters@1.1.4',
    async connect(target) {
      let onProgress: (() => void) | undefined;
      const { MultiServerMCPClient } = await importPackage<{
        MultiServerMCPClient: new (options: object) => LangClient;
      }>(target, '@langchain/mcp-adapters@1.1.4');
      const client = new MultiServerMCPClient({
        mcpServers: { box: { transport: 'http', url: target.url, headers: authorization(target) } },
        onProgress: () => onProgress?.(),
      });
      const tools = await client.getTools();
      return {
        list: () => Promise.resolve(tools.map(({ name }) => name)),
        async call(name, args, options = {}) {
          onProgress = options.onProgress;
          const call = { type: 'tool_call', id: 'call', name, args };
          const { signal } = options;
          const tool = tools.find((each) => each.name === name) ?? missing(name);
          const { content, status } = await tool.invoke(call, signal === undefined ? {} : { signal });
          return resultFromBlocks(content, status === 'error');
        },
        unable: { elicit: 'the client declares no elicitation' },
        close: () => client.close(),
      };
    },
  },
  {
    name: 'Mastra',
    package: '@mastra/mcp@2.0.0',
    async connect(target) {
      let onProgress: (() => void) | undefined;
      const { MCPClient } = await importPackage<{ MCPClient: new (options: object) => MastraClient }>(
        target,
        '@mastra/mcp@2.0.0',
      );
      const client = new MCPClient({
        id: target.home,
        servers: {
          box: {
            url: new URL(target.url),
            requestInit: { headers: authorization(target) },
            enableProgressTracking: true,
            inputRequests: () => Promise.resolve(elicited),
          },
        },
      });
      const tools = await client.listTools();
      await client.progress.onUpdate('box', () => onProgress?.());
      return {
        list: () => Promise.resolve(Object.keys(tools)),
        async call(name, args, options = {}) {
          onProgress = options.onProgress;
          const tool = tools[`box_${name}`] ?? missing(name);
          const result = await tool.execute(args, options.signal === undefined ? {} : { abortSignal: options.signal });
          return isWireResult(result)
            ? toClientResult(result)
            : { text: JSON.stringify(result), isError: false, structured: result, pictures: [] };
        },
        close: () => client.disconnect(),
      };
    },
  },
  {
    name: 'OpenAI Agents',
    package: '@openai/agents@0.20.0',
    async connect(target) {
      const { MCPServerStreamableHttp } = await importPackage<{
        MCPServerStreamableHttp: new (options: object) => OpenAiClient;
      }>(target, '@openai/agents@0.20.0');
      const client = new MCPServerStreamableHttp({
        url: target.url,
        name: 'box',
        requestInit: { headers: authorization(target) },
        clientSessionTimeoutSeconds: 120,
      });
      await client.connect();
      return {
        list: async () => (await client.listTools()).map(({ name }) => name),
        call: async (name, args, { signal } = {}) =>
          toClientResult(await client.callToolResult(name, args, null, signal === undefined ? {} : { signal })),
        unable: {
          progress: 'the client has no callback for progress',
          elicit: 'the client declares no elicitation',
        },
        close: () => client.close(),
      };
    },
  },
  {
    name: 'mcp-remote',
    package: 'mcp-remote@0.15.1',
    async connect(target) {
      const program = target.cache.programOf('mcp-remote@0.15.1', 'mcp-remote');
      const header = ['--header', `Authorization: Bearer ${target.token}`];
      const env = { PATH: process.env['PATH'] ?? '', HOME: target.home, MCP_REMOTE_CONFIG_DIR: target.home };
      return connectV1(
        new StdioClientTransport({ command: process.execPath, args: [program, target.url, ...header], env }),
      );
    },
  },
];

interface AiClient {
  onElicitationRequest(schema: unknown, handler: () => unknown): void;
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: object): Promise<WireResult>;
  close(): Promise<void>;
}

interface LangClient {
  getTools(): Promise<
    { name: string; invoke(call: object, options: object): Promise<{ content: unknown; status?: string }> }[]
  >;
  close(): Promise<void>;
}

interface MastraClient {
  readonly progress: { onUpdate(server: string, handler: () => void): Promise<void> };
  listTools(): Promise<Record<string, { execute(args: object, options: object): Promise<unknown> }>>;
  disconnect(): Promise<void>;
}

interface OpenAiClient {
  connect(): Promise<void>;
  listTools(): Promise<{ name: string }[]>;
  callToolResult(name: string, args: object, meta: null, options: object): Promise<WireResult>;
  close(): Promise<void>;
}

/** Imports a package of the cache from a module next to it. */
async function importPackage<Module>({ cache }: Target, spec: string): Promise<Module> {
  const entry = join(cache.directoryOf(spec), 'entry.mjs');
  writeFileSync(entry, `export * from ${JSON.stringify(spec.slice(0, spec.lastIndexOf('@')))};\n`);
  return (await import(pathToFileURL(entry).href)) as Module;
}

function authorization({ token }: Target): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}

function missing(name: string): never {
  throw new Error(`the client lists no tool ${name}`);
}

function isWireResult(value: unknown): value is WireResult {
  return typeof value === 'object' && value !== null && Array.isArray((value as WireResult).content);
}

/** Reads the content blocks of LangChain. */
function resultFromBlocks(content: unknown, isError: boolean): ClientCallResult {
  const blocks = (typeof content === 'string' ? [{ type: 'text', text: content }] : content) as readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly image_url?: { readonly url: string };
  }[];
  return {
    text: blocks.flatMap(({ text }) => text ?? []).join('\n'),
    isError,
    pictures: blocks.flatMap(({ data, image_url }) => data ?? image_url?.url.replace(/^data:[^,]*,/, '') ?? []),
  };
}
