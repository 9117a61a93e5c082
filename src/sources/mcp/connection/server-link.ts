import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';
import type { LogLevel } from '../../../core/calls/call-client.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import type { RecentLines } from '../../../process/recent-lines.ts';
import type { RpcChannel } from './rpc-channel.ts';
import type { AnsweringOptions } from '../server-messages/server-requests.ts';
import type { McpTransport } from './mcp-transport.ts';
import type { ProtocolVersionCache } from './protocol-version-cache.ts';

/** Options of a connection. */
export interface ConnectionOptions {
  readonly transport: McpTransport;
  readonly version: string;
  readonly protocolVersions: ProtocolVersionCache;
  readonly lines: RecentLines;
  readonly maxMessageBytes: number;
  readonly timeoutMs: number;
  /** Cancels the attempt and stops the process that it started. */
  readonly signal?: AbortSignal;
  /** The time for which only the probe for the 2026 revision runs. After that, the older handshake is tried in parallel. */
  readonly probeAloneMs: number;
  /** Answers requests of the server that no caller answers. */
  readonly answering: AnsweringOptions;
  /** Minimum level of the server's log messages; the server decides when absent. */
  readonly logLevel: LogLevel | undefined;
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void;
  onResourceUpdated(uri: string): void;
}

/** The result of `server/discover`. */
export type DiscoverResult = (PriorDiscovery & { readonly kind: 'modern' })['discover'];

/** The self-description of a server. */
export interface McpServerInfo {
  readonly protocolVersion: string;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
}

/** The result of the handshake, in either protocol era. */
export interface InitializeResult extends McpServerInfo {
  readonly isModern: boolean;
  readonly capabilities: JsonObject;
  /** The result of the probe, with which the next connection needs no probe. */
  readonly discovered?: DiscoverResult;
  /** The server did not answer the probe, so its revision is a guess. */
  readonly isGuess?: boolean;
}

/** Loads the cached protocol version of a server. */
export type LoadPriorDiscovery = () => Promise<PriorDiscovery | undefined>;

/** A connection to a server over one kind of transport. */
export interface ServerLink {
  readonly channel: RpcChannel;
  /** Negotiates the protocol version, unless it is cached. A program is started before the cache is read. */
  initialize(known: LoadPriorDiscovery): Promise<InitializeResult>;
  /** Returns the SDK's client on this channel, which holds the change subscriptions of the 2026 revision. */
  client(): Promise<Client>;
  /** Returns why the other side closed the link, if it did. */
  reason(): string | undefined;
  /** Returns why the server refused our credentials, if it did. */
  refusal(): Error | undefined;
  /** Converts a transport error to one that includes the next step for the operator. Returns our own errors unchanged. */
  explain(error: unknown): unknown;
  /** Returns whether another handshake would fail for the same reason as this one. */
  isFinal(error: unknown): boolean;
  /** Returns whether a transport error means that the link cannot be used any longer. */
  isBroken(error: Error): boolean;
}
