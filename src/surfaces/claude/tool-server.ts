import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import type { CallResult, Progress } from '../../core/calls/call.ts';
import { messageOf } from '../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { sessionVersions } from '../../core/mcp-protocol.ts';
import { readableBlocks } from '../../core/tools/content.ts';
import type { ContentReader } from '../../pipeline/box-content.ts';
import { WireError, wireCodes } from '../mcp/protocol/wire-messages.ts';
import { type ServerContent, serverContent, serversWithContent } from '../server-content.ts';
import { type ClaudeToolListing, toolPrefix } from './tool-listing.ts';

/** A tool call that Claude Code sent. */
export interface ServerCall {
  /** The full name that the model used: `mcp__{server}__{tool}`. */
  readonly name: string;
  readonly args: unknown;
  /** The model's id of the call; `undefined` in versions of Claude Code that do not send it. */
  readonly toolUseId: string | undefined;
  readonly signal: AbortSignal;
  /** Present when Claude Code asked for progress and can receive it. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Runs one call. */
export type RunServerCall = (call: ServerCall) => Promise<CallResult>;

/** The responses that Claude Code would request first; sent along at startup to save the round trips. */
export interface ServerManifest {
  readonly initializeResult: object;
  readonly toolsListResult: object;
}

/** Sends a notification to Claude Code. */
type Notify = (notification: JsonObject) => void;

interface IncomingRequest {
  readonly id: string | number;
  readonly params: JsonObject;
  readonly signal: AbortSignal | undefined;
  readonly notify: Notify | undefined;
}

const noContent: ServerContent = { capabilities: {}, methods: new Map() };

/** Creates a server for each server of a box that has tools, resources or prompts. */
export function createToolServers(
  listing: ClaudeToolListing,
  reader: ContentReader | undefined,
  run: RunServerCall,
): ReadonlyMap<string, ClaudeToolServer> {
  const names = new Set([...listing.servers.keys(), ...(reader === undefined ? [] : serversWithContent(reader))]);
  return new Map(
    [...names].map((name) => {
      const content = reader === undefined ? noContent : serverContent(name, reader);
      return [name, new ClaudeToolServer(name, listing.servers.get(name) ?? [], content, run)];
    }),
  );
}

/**
 * One server of the box as an MCP server for Claude Code. It answers the few methods that Claude Code uses, over any transport.
 * Create one for each query or turn, because Claude Code connects a server only once.
 */
export class ClaudeToolServer {
  readonly name: string;
  readonly #tools: readonly object[];
  readonly #run: RunServerCall;
  readonly #content: ServerContent;
  readonly #running = new Map<string | number, AbortController>();

  constructor(name: string, tools: readonly object[], content: ServerContent, run: RunServerCall) {
    this.name = name;
    this.#tools = tools;
    this.#content = content;
    this.#run = run;
  }

  get manifest(): ServerManifest {
    return { initializeResult: this.#initialize({}), toolsListResult: { tools: this.#tools } };
  }

  /** Returns the server in the form that the Claude Agent SDK takes. */
  toSdkConfig(): McpSdkServerConfigWithInstance {
    let transport: SdkTransport | undefined;
    const instance = {
      connect: async (connected: SdkTransport) => {
        transport = connected;
        // The query may end before a message is sent.
        const send = (message: JsonObject): void => void connected.send(message).catch(() => undefined);
        const onmessage = (message: JsonObject): void =>
          void this.answer(message, undefined, send).then((reply) => reply && send(reply));
        Object.assign(connected, { onmessage });
        await connected.start();
      },
      close: async () => await transport?.close(),
    };
    // The SDK's type names a server class of the MCP SDK, but the SDK only connects and closes it.
    return {
      type: 'sdk',
      name: this.name,
      instance: instance as unknown as McpSdkServerConfigWithInstance['instance'],
    };
  }

  /** Answers a message; resolves with `undefined` for a notification. */
  async answer(message: JsonObject, signal?: AbortSignal, notify?: Notify): Promise<JsonObject | undefined> {
    const { id, method } = message;
    const params = isJsonObject(message['params']) ? message['params'] : {};
    if (typeof id !== 'string' && typeof id !== 'number') {
      const requestId = params['requestId'];
      if (method === 'notifications/cancelled' && (typeof requestId === 'string' || typeof requestId === 'number'))
        this.#running.get(requestId)?.abort();
      return undefined;
    }
    try {
      const result = await this.#serve(typeof method === 'string' ? method : '', { id, params, signal, notify });
      return { jsonrpc: '2.0', id, result: result as JsonObject };
    } catch (error) {
      const code = error instanceof WireError ? error.code : wireCodes.internal;
      return { jsonrpc: '2.0', id, error: { code, message: messageOf(error) } };
    }
  }

  async #serve(method: string, request: IncomingRequest): Promise<object> {
    switch (method) {
      case 'initialize':
        return this.#initialize(request.params);
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: this.#tools };
      case 'tools/call':
        return await this.#callTool(request);
    }
    const read = this.#content.methods.get(method);
    if (read === undefined) throw new WireError(wireCodes.method, `server "${this.name}" has no method ${method}`);
    return await this.#cancellable(request, async (signal) => await read(request.params, signal));
  }

  /** Runs a request until it is cancelled by `notifications/cancelled` or by its signal. */
  async #cancellable<Result>(
    { id, signal }: IncomingRequest,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    try {
      return await run(signal === undefined ? cancel.signal : AbortSignal.any([signal, cancel.signal]));
    } finally {
      this.#running.delete(id);
    }
  }

  #initialize({ protocolVersion }: JsonObject): object {
    const known = sessionVersions.find((version) => version === protocolVersion);
    return {
      protocolVersion: known ?? sessionVersions[0],
      capabilities: { tools: {}, ...this.#content.capabilities },
      serverInfo: { name: this.name, version: '1' },
    };
  }

  async #callTool(request: IncomingRequest): Promise<object> {
    const { name, arguments: args = {}, _meta } = request.params;
    if (typeof name !== 'string') throw new WireError(wireCodes.params, 'tools/call needs the name of a tool');
    const { 'claudecode/toolUseId': toolUseId, progressToken } = isJsonObject(_meta) ? _meta : {};
    const onProgress = progressReporter(request.notify, progressToken);
    return await this.#cancellable(request, async (signal) => {
      const result = await this.#run({
        name: toolPrefix(this.name) + name,
        args,
        toolUseId: typeof toolUseId === 'string' ? toolUseId : undefined,
        signal,
        ...(onProgress === undefined ? {} : { onProgress }),
      });
      // Claude Code would show the model `structuredContent` in place of the content.
      const content = readableBlocks(result);
      return result.outcome === 'completed' ? { content } : { content, isError: true };
    });
  }
}

function progressReporter(notify: Notify | undefined, token: unknown): ServerCall['onProgress'] {
  if (notify === undefined || (typeof token !== 'string' && typeof token !== 'number')) return undefined;
  return (progress) =>
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params: { ...progress, progressToken: token } });
}

/** The part of the MCP SDK's `Transport` that is used here. */
interface SdkTransport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}
