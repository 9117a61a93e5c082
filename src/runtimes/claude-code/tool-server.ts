import { randomUUID } from 'node:crypto';
import type { CallResult } from '../../model/call.ts';
import { messageOf } from '../../model/errors.ts';
import { type JsonObject, isJsonObject } from '../../model/json.ts';
import { sessionVersions } from '../../model/mcp-protocol.ts';
import type { ServerListing } from './tool-listing.ts';

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
  readonly #running = new Map<string | number, AbortController>();

  constructor(name: string, listing: ServerListing, call: MakeCall) {
    this.name = name;
    this.#listing = listing;
    this.#call = call;
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
        return { error: { code: methodNotFound, message: `server "${this.name}" has no method ${method}` } };
    }
  }

  #initialize({ protocolVersion }: JsonObject): object {
    const known = sessionVersions.find((revision) => revision === protocolVersion);
    return {
      protocolVersion: known ?? sessionVersions[0],
      capabilities: { tools: {} },
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
    const cancel = new AbortController();
    this.#running.set(id, cancel);
    try {
      const listed = this.#listing.byName.get(name);
      const toolUseId = isJsonObject(_meta) ? _meta['claudecode/toolUseId'] : undefined;
      const { outcome, content } = await this.#call(
        // The box says what it thinks of a tool that was not listed.
        listed?.name ?? `mcp__${this.name}__${name}`,
        listed?.restore === undefined ? args : listed.restore.apply(args),
        typeof toolUseId === 'string' ? toolUseId : randomUUID(),
        signal === undefined ? cancel.signal : AbortSignal.any([signal, cancel.signal]),
      );
      // The content is what a model should read; Claude Code would show it the structured result in its place.
      return { result: { content, ...(outcome === 'completed' ? {} : { isError: true }) } };
    } finally {
      this.#running.delete(id);
    }
  }
}
