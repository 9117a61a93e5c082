import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createSignalbox, mcpServer } from '../../src/index.ts';
import type { Peer } from './gateway/install-peers.ts';

/** The called server: a program or a URL. */
export type Called =
  | { readonly type: 'stdio'; readonly command: string; readonly args?: readonly string[] }
  | { readonly type: 'http'; readonly url: string };

/** A library for calling the tools of MCP servers, used as documented. */
export interface LibraryClient {
  readonly name: string;
  /** Connects and lists the tools once. The connection stays open. */
  connect(called: Called): Promise<ConnectedClient>;
}

export interface ConnectedClient {
  /** Calls `echo`. */
  echo(text: string): Promise<unknown>;
  close(): Promise<unknown>;
}

export const sdkClient: LibraryClient = {
  name: 'SDK v2 client',
  async connect(called) {
    const client = new Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(
      called.type === 'http'
        ? new StreamableHTTPClientTransport(new URL(called.url))
        : new StdioClientTransport({ command: called.command, args: [...(called.args ?? [])] }),
    );
    await client.listTools();
    return {
      echo: (text) => client.callTool({ name: 'echo', arguments: { text } }),
      close: () => client.close(),
    };
  },
};

const setsid = '/usr/bin/setsid';

/**
 * Starts the server in a separate process session, like Signalbox, to measure only the cost of that: Linux schedules it
 * separately.
 */
export const sdkClientSeparateSession: LibraryClient = {
  name: 'SDK v2 client, server in its own session',
  async connect(called) {
    if (called.type === 'http') throw new Error('a server at a URL has no process session');
    return await sdkClient.connect({ ...called, command: setsid, args: [called.command, ...(called.args ?? [])] });
  },
};
export const hasSetsid = existsSync(setsid);

export const signalbox: LibraryClient = {
  name: 'Signalbox',
  async connect(transport) {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
    const server = mcpServer({ name: 'bench', transport });
    const box = await createSignalbox({ data, servers: [server] });
    await server.ready();
    return {
      echo: (text) => box.call('mcp__bench__echo', { text }),
      async close() {
        await box.close();
        rmSync(data, { recursive: true, force: true });
      },
    };
  },
};

/** The used part of `@ai-sdk/mcp`. */
interface AiSdk {
  createMCPClient(options: { transport: object }): Promise<{
    tools(): Promise<Readonly<Record<string, { execute(input: object, options: object): Promise<unknown> }>>>;
    close(): Promise<void>;
  }>;
}
interface AiSdkStdio {
  readonly Experimental_StdioMCPTransport: new (options: object) => object;
}

/** The used part of `@langchain/mcp-adapters`. */
interface LangChain {
  readonly MultiServerMCPClient: new (options: object) => {
    getTools(): Promise<readonly { readonly name: string; invoke(input: object): Promise<unknown> }[]>;
    close(): Promise<void>;
  };
}

const connects: Readonly<Record<string, (directory: string) => LibraryClient['connect']>> = {
  '@ai-sdk/mcp': (directory) => async (called) => {
    const { createMCPClient } = await load<AiSdk>(directory, 'dist/index.js');
    const { Experimental_StdioMCPTransport: Stdio } = await load<AiSdkStdio>(directory, 'dist/mcp-stdio/index.js');
    const client = await createMCPClient({ transport: called.type === 'http' ? called : new Stdio(called) });
    const { echo } = await client.tools();
    if (echo === undefined) throw new Error('the tool is not listed');
    const options = { toolCallId: 'bench', messages: [] };
    return { echo: (text) => echo.execute({ text }, options), close: () => client.close() };
  },
  '@langchain/mcp-adapters': (directory) => async (called) => {
    const { MultiServerMCPClient } = await load<LangChain>(directory, 'dist/index.js');
    const { type, ...where } = called;
    const client = new MultiServerMCPClient({ mcpServers: { bench: { transport: type, ...where } } });
    const echo = (await client.getTools()).find(({ name }) => name === 'echo');
    if (echo === undefined) throw new Error('the tool is not listed');
    return { echo: (text) => echo.invoke({ text }), close: () => client.close() };
  },
};

/** Returns the comparable third-party libraries. */
export function peerClients(peers: readonly Peer[]): readonly LibraryClient[] {
  return peers.flatMap(({ name, version, directory }) => {
    const connect = connects[name];
    return connect === undefined ? [] : [{ name: `${name} ${version}`, connect: connect(directory) }];
  });
}

async function load<Module>(directory: string, file: string): Promise<Module> {
  return (await import(pathToFileURL(join(directory, file)).href)) as Module;
}
