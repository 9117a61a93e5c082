import type { SourceLimits } from '../../catalog/source/source.ts';
import type { CallRoot, LogLevel } from '../../core/calls/call-client.ts';
import type { RecentLines } from '../../process/recent-lines.ts';
import type { ConnectionOptions } from './connection/server-link.ts';
import type { McpTransport } from './connection/mcp-transport.ts';
import { type ProtocolVersionCache, createMemoryProtocolVersionCache } from './connection/protocol-version-cache.ts';
import type { ServerRequestOptions } from './server-messages/server-requests.ts';
import { createRequire } from 'node:module';

/** Options of `mcpServer`. */
export interface McpServerOptions extends SourceLimits, ServerRequestOptions {
  readonly name: string;
  /** The transport. A function is called for each connection; when it throws, the server is down for that reason. */
  readonly transport: McpTransport | (() => McpTransport | Promise<McpTransport>);
  /** Time limit for start and handshake (default 60 s). */
  readonly connectTimeoutMs?: number;
  /** Size limit for messages of the server, in bytes (default 64 MB). */
  readonly maxMessageBytes?: number;
  /** Cache of the protocol versions that servers support; in memory when absent. */
  readonly protocolVersions?: ProtocolVersionCache;
  /** Minimum level of the server's log messages; the server decides when absent. */
  readonly logLevel?: LogLevel;
  /** Tools, by the server's own names, that can be called although their input schema does not compile. */
  readonly schema?: Readonly<Record<string, 'trust'>>;
  /** Removes secrets from texts about the server: the reason why it is down, its error output. */
  readonly redact?: (text: string) => string;
  /** Whether work that needs the whole gateway waits until this server is up. */
  readonly required?: boolean;
  /** Stops the server's process after this time without a call. Its tools stay listed, and the next call starts it again. */
  readonly idleStopMs?: number;
}

/** Values of one connection attempt. */
interface AttemptOptions extends Pick<
  ConnectionOptions,
  'onListChanged' | 'onResourceUpdated' | 'logLevel' | 'signal'
> {
  roots(): readonly CallRoot[];
  readonly lines: RecentLines;
}

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };
const sharedProtocolVersions = createMemoryProtocolVersionCache();
const defaultConnectTimeoutMs = 60_000;
const defaultMaxMessageBytes = 64 * 1024 * 1024;
/**
 * How long the probe runs before the older handshake is tried too. A program may ignore unknown requests. A web server always answers,
 * so silence means that it is slow, and a server of the 2026 revision should not receive the older handshake.
 */
const maxProbeAloneMs = { stdio: 3000, sse: 3000, http: 20_000 } as const;

/** Returns the options of one connection. */
export async function connectionOptions(
  { transport, onElicit, onSample, ...options }: McpServerOptions,
  { lines, roots, ...connecting }: AttemptOptions,
): Promise<ConnectionOptions> {
  const resolved = typeof transport === 'function' ? await transport() : transport;
  const timeoutMs = options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  return {
    ...connecting,
    transport: resolved,
    version,
    protocolVersions: options.protocolVersions ?? sharedProtocolVersions,
    lines,
    maxMessageBytes: options.maxMessageBytes ?? defaultMaxMessageBytes,
    timeoutMs,
    probeAloneMs: Math.min(maxProbeAloneMs[resolved.type], timeoutMs / 3),
    answering: {
      roots,
      onElicit,
      onSample,
      onLog: ({ level, data }) => lines.add(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
    },
  };
}
