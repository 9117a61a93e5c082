import type { CallResult } from '../../core/calls/call.ts';
import { messageOf } from '../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { sessionVersions } from '../../core/mcp-protocol.ts';
import { readableBlocks } from '../../core/tools/content.ts';
import type { ServerContent } from '../server-content.ts';
import type { ServerListing } from './tool-listing.ts';
import type { McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import { randomUUID } from 'node:crypto';

/** Makes one call. */
export type MakeCall = (tool: string, args: unknown, toolCallId: string, signal: AbortSignal) => Promise<CallResult>;

type Answer = { readonly result: object } | { readonly error: { readonly code: number; readonly message: string } };

const methodNotFound = -32601;
const invalidParameters = -32602;
const internalError = -32603;

/** What Claude Code wants to know of a server before it asks: saves asking. */
export interface ServerManifest {
  readonly initializeResult: object;
  readonly toolsListResult: object;
}

/**
 * One server of the box as Claude Code sees it for the time of one turn: the few messages of MCP that it sends, answered without
 * an SDK. Made anew for every turn, because a connection belongs to one.
 */
export class ToolServer {
  readonly name: string;
  readonly #listing: ServerListing;
  readonly #call: MakeCall;
  readonly #content: ServerContent;
  readonly #running = new Map<string | number, AbortController>();

  constructor(name: string, listing: ServerListing, call: MakeCall, content: ServerContent) {
    this.name = name;
    this.#listing = listing;
    this.#call = call;
    this.#content = content;
  }

  get manifest(): ServerManifest {
    return { initializeResult: this.#initialize({}), toolsListResult: this.#list() };
  }

  /** Answers a message; a notification has no answer. */
  async answer(message: JsonObject, signal?: AbortSignal): Promise<JsonObject | undefined> {
    const { id, method, params } = message;
    const given = isJsonObject(params) ? params : {};
    if (typeof id !== 'string' && typeof id !== 'number') {
      const cancelled = given['requestId'];
      if (method === 'notifications/cancelled' && (typeof cancelled === 'string' || typeof cancelled === 'number'))
        this.#running.get(cancelled)?.abort();
      return undefined;
    }
    const answer = await this.#request(id, typeof method === 'string' ? method : '', given, signal).catch(
      (error: unknown): Answer => {
        return { error: { code: internalError, message: messageOf(error) } };
      },
    );
    return { jsonrpc: '2.0', id, ...answer } as unknown as JsonObject;
  }

  async #request(
    id: string | number,
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    switch (method) {
      case 'initialize':
        return { result: this.#initialize(params) };
      case 'ping':
        return { result: {} };
      case 'tools/list':
        return { result: this.#list() };
      case 'tools/call':
        return await this.#callTool(id, params, signal);
      default:
        return await this.#readContent(id, method, params, signal);
    }
  }

  async #readContent(
    id: string | number,
    method: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const read = this.#content.methods.get(method);
    if (read === undefined)
      return { error: { code: methodNotFound, message: `server "${this.name}" has no method ${method}` } };
    return await this.#cancellable(id, signal, async (over) => ({ result: await read(params, over) }));
  }

  /** Runs a request that a `notifications/cancelled` with its id cancels. */
  async #cancellable<Result>(
    id: string | number,
    signal: AbortSignal | undefined,
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
    const known = sessionVersions.find((revision) => revision === protocolVersion);
    return {
      protocolVersion: known ?? sessionVersions[0],
      capabilities: { tools: {}, ...this.#content.capabilities },
      serverInfo: { name: this.name, version: '1' },
    };
  }

  #list(): object {
    return { tools: this.#listing.tools };
  }

  async #callTool(
    id: string | number,
    { name, arguments: args = {}, _meta }: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    if (typeof name !== 'string')
      return { error: { code: invalidParameters, message: 'tools/call needs the name of a tool' } };
    return await this.#cancellable(id, signal, async (over) => {
      const listed = this.#listing.byName.get(name);
      const toolUseId = isJsonObject(_meta) ? _meta['claudecode/toolUseId'] : undefined;
      const result = await this.#call(
        // The box says what it thinks of a tool that was not listed.
        listed?.name ?? `mcp__${this.name}__${name}`,
        listed?.restore === undefined ? args : listed.restore.apply(args),
        typeof toolUseId === 'string' ? toolUseId : randomUUID(),
        over,
      );
      // The content is what a model should read; Claude Code would show it the structured result in its place.
      return {
        result: { content: readableBlocks(result), ...(result.outcome === 'completed' ? {} : { isError: true }) },
      };
    });
  }
}

/** The way between the SDK and a server of ours, as far as it is used. */
interface Transport {
  start(): Promise<void>;
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}

/** A server in the form the SDK takes: it wants something that can be connected, and asks no more of it than that. */
export function serverConfig(server: ToolServer): McpSdkServerConfigWithInstance {
  let connected: Transport | undefined;
  const instance = {
    async connect(transport: Transport): Promise<void> {
      connected = transport;
      const onmessage = (message: JsonObject): void => {
        void server.answer(message).then((answer) => (answer === undefined ? undefined : transport.send(answer)));
      };
      Object.assign(transport, { onmessage });
      await transport.start();
    },
    async close(): Promise<void> {
      await connected?.close();
    },
  };
  return {
    type: 'sdk',
    name: server.name,
    instance: instance as unknown as McpSdkServerConfigWithInstance['instance'],
  };
}
