import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as FirstSseTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ConnectedClient, HeardResult } from './steps.ts';
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
    connect: (target) => firstClient(new FirstHttpTransport(new URL(target.url), requestInit(target))),
  },
  {
    name: 'SDK v1, HTTP+SSE',
    connect: (target) => firstClient(new FirstSseTransport(new URL(target.url), requestInit(target))),
  },
  {
    name: 'SDK v1, stdio',
    connect: (target) => firstClient(new FirstStdioTransport(stdioCommand(target))),
  },
  {
    name: 'SDK v2, HTTP, 2025-11-25',
    connect: (target) =>
      secondClient(new StreamableHTTPClientTransport(new URL(target.url), requestInit(target)), 'legacy'),
  },
  {
    name: 'SDK v2, HTTP, 2026-07-28',
    connect: (target) =>
      secondClient(new StreamableHTTPClientTransport(new URL(target.url), requestInit(target)), 'auto'),
  },
  {
    name: 'SDK v2, HTTP+SSE',
    connect: (target) => secondClient(new SSEClientTransport(new URL(target.url), requestInit(target)), 'legacy'),
  },
  {
    name: 'SDK v2, stdio, 2026-07-28',
    connect: (target) => secondClient(new StdioClientTransport(stdioCommand(target)), 'auto'),
  },
];

/** Connects the client of SDK v1; other clients reach Signalbox through it, too. */
export async function firstClient(transport: Transport): Promise<ConnectedClient> {
  const client = new FirstClient(name, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => answer);
  await client.connect(transport);
  return {
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(tool, args, { signal, onProgress } = {}) {
      const result = await client.callTool({ name: tool, arguments: args }, undefined, {
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      });
      return heardFrom(result as WireResult);
    },
    close: () => client.close(),
  };
}

type SecondTransport = Parameters<Client['connect']>[0];

async function secondClient(transport: SecondTransport, mode: 'legacy' | 'auto'): Promise<ConnectedClient> {
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
      return heardFrom(result as WireResult);
    },
    close: () => client.close(),
  };
}

/** The result of `tools/call` as libraries hand it on. */
export interface WireResult {
  readonly content?: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

/** Reads a result of `tools/call`. */
export function heardFrom({ content = [], isError = false, structuredContent }: WireResult): HeardResult {
  return {
    text: content.flatMap(({ text }) => text ?? []).join('\n'),
    isError,
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
    pictures: content.flatMap(({ type, data }) => (type === 'image' && data !== undefined ? data : [])),
  };
}
