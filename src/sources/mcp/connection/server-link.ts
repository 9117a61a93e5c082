import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../../core/json/json.ts';
import type { RecentLines } from '../../../process/recent-lines.ts';
import type { RpcChannel } from './rpc-channel.ts';
import type { AnsweringOptions } from '../server-messages/server-requests.ts';
import type { McpTransport } from '../mcp-server-options.ts';
import type { ProtocolVersionCache } from './protocol-version-cache.ts';

/** What a connection is made with. */
export interface ConnectOptions {
  readonly transport: McpTransport;
  readonly version: string;
  readonly protocolVersions: ProtocolVersionCache;
  readonly lines: RecentLines;
  readonly maxMessageBytes: number;
  readonly timeoutMs: number;
  /** Ends the attempt, and with it the process that it started. */
  readonly signal?: AbortSignal;
  /** How long the probe for the 2026 revision runs alone; after that, the older handshake is tried beside it. */
  readonly probeAloneMs: number;
  /** Who answers the server where no caller does. */
  readonly answering: AnsweringOptions;
  onListChanged(list: 'tools' | 'resources' | 'prompts'): void;
  onResourceUpdated(uri: string): void;
}

/** What `server/discover` was answered with. */
export type DiscoverResult = (PriorDiscovery & { readonly kind: 'modern' })['discover'];

/** What a server said of itself when hands were shaken. */
export interface InitializeResult {
  readonly isModern: boolean;
  readonly protocolVersion: string;
  readonly capabilities: JsonObject;
  readonly serverInfo?: JsonObject;
  readonly instructions?: string;
  /** The answer to the probe, by which a server of the 2026 revision is recognized the next time. */
  readonly discovered?: DiscoverResult;
  /** The server did not answer the probe, so its revision is a guess. */
  readonly isGuess?: boolean;
}

/** Looks up what is known of a server from before. */
export type LoadPriorDiscovery = () => Promise<PriorDiscovery | undefined>;

/** A way to a server, and how hands are shaken there. */
export interface ServerLink {
  readonly channel: RpcChannel;
  /** Finds out which revision the server speaks, unless that is known, and begins to speak it. A program is started before that is looked up. */
  initialize(known: LoadPriorDiscovery): Promise<InitializeResult>;
  /** The SDK's client on this lane, once hands are shaken: it listens where the 2026 revision wants that. */
  client(): Promise<Client>;
  /** Why it closed by itself, if it did. */
  reason(): string | undefined;
  /** Why we are not let in, if we are not. */
  refusal(): Error | undefined;
  /** The error in words for the one who configured the server; ours have them already. */
  explain(error: unknown): unknown;
  /** Whether an error on the way means that it leads nowhere any more. */
  isBroken(error: Error): boolean;
}
