import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseTransportV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpTransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ConnectedClient, ClientCallResult } from './steps.ts';
import { type FieldClient, type Target, stdioCommand } from './target.ts';

const name = { name: 'signalbox-field', version: '1.0.0' };
const capabilities = { elicitation: { form: {} } } as const;
const answer = { action: 'accept' as const, content: { name: 'Ada' } };

function requestInit({ token }: Target): { requestInit: { headers: Record<string, string> } } {
  return { requestInit: { headers: { Authorization: `Bearer ${token}` } } };
}

/** The clients of both generations of the SDK, over each transport. */
export const sdkClients: readonly FieldClient[] = [
  {
    name: 'SDK v1, HTTP',
    connect: (target) => connectV1(new HttpTransportV1(new URL(target.url), requestInit(target))),
  },
  {
    name: 'SDK v1, HTTP+SSE',
    connect: (target) => connectV1(new SseTransportV1(new URL(target.url), requestInit(target))),
  },
  {
    name: 'SDK v1, stdio',
    connect: (target) => connectV1(new StdioTransportV1(stdioCommand(target))),
  },
  {
    name: 'SDK v2, HTTP, 2025-11-25',
    connect: (target) =>
      connectV2(new StreamableHTTPClientTransport(new URL(target.url), requestInit(target)), 'legacy'),
  },
  {
    name: 'SDK v2, HTTP, 2026-07-28',
    connect: (target) => connectV2(new StreamableHTTPClientTransport(new URL(target.url), requestInit(target)), 'auto'),
  },
  {
    name: 'SDK v2, HTTP+SSE',
    connect: (target) => connectV2(new SSEClientTransport(new URL(target.url), requestInit(target)), 'legacy'),
  },
  {
    name: 'SDK v2, stdio, 2026-07-28',
    connect: (target) => connectV2(new StdioClientTransport(stdioCommand(target)), 'auto'),
  },
];

/** Connects the client of SDK v1. Other clients use it too. */
export async function connectV1(transport: Transport): Promise<ConnectedClient> {
  const client = new ClientV1(name, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => answer);
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(tool, args, { signal, onProgress } = {}) {
      const result = await client.callTool({ name: tool, arguments: args }, undefined, {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      });
      return toClientResult(result as WireResult);
    },
    close: () => client.close(),
  };
}

type TransportV2 = Parameters<Client['connect']>[0];

async function connectV2(transport: TransportV2, mode: 'legacy' | 'auto'): Promise<ConnectedClient> {
  const client = new Client(name, { capabilities, ...(mode === 'auto' ? { versionNegotiation: { mode } } : {}) });
  client.setRequestHandler('elicitation/create', () => answer);
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(tool, args, { signal, onProgress } = {}) {
      const result = await client.callTool(
        { name: tool, arguments: args },
        {
          ...(signal === undefined ? {} : { signal }),
          ...(onProgress === undefined ? {} : { onprogress: onProgress }),
        },
      );
      return toClientResult(result as WireResult);
    },
    close: () => client.close(),
  };
}

/** The result of `tools/call` as libraries return it. */
export interface WireResult {
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

/** Converts a result of `tools/call`. */
export function toClientResult({ content = [], isError = false, structuredContent }: WireResult): ClientCallResult {
  return {
    text: content.flatMap(({ text }) => text ?? []).join('\n'),
    isError,
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
    pictures: content.flatMap(({ type, data }) => (type === 'image' && data !== undefined ? data : [])),
  };
}
