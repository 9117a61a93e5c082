import type { SourceLimits } from '../../catalog/source/source.ts';
import type { CallRoot, LogLevel } from '../../core/calls/call-client.ts';
import type { ProgramOptions } from '../../process/process-group.ts';
import type { RecentLines } from '../../process/recent-lines.ts';
import type { ConnectionOptions } from './connection/connection.ts';
import { type ProtocolVersionCache, createMemoryProtocolVersionCache } from './connection/protocol-version-cache.ts';
import type { HttpTransportOptions } from './http/http-transport.ts';
import type { ServerRequestOptions } from './server-messages/server-requests.ts';
import { createRequire } from 'node:module';

/** How a server is reached and used. */
export interface McpServerOptions extends SourceLimits, ServerRequestOptions {
  readonly name: string;
  /** How it is reached; a function is asked anew for each connection, and what it throws is why the server is down. */
  readonly transport: McpTransport | (() => McpTransport | Promise<McpTransport>);
  /** How long it may take to start and shake hands (60 s). */
  readonly connectTimeoutMs?: number;
  /** The largest message it may send, in bytes (64 MB). */
  readonly maxMessageBytes?: number;
  /** Where it is remembered which revision of the protocol the server speaks; in memory when absent. */
  readonly protocolVersions?: ProtocolVersionCache;
  /** From which importance on it is to log; as it likes when absent. */
  readonly logLevel?: LogLevel;
  /** Tools that can be called although their input schema cannot check all arguments, by the server's names. */
  readonly schema?: Readonly<Record<string, 'trust'>>;
  /** Takes secrets out of what is told about the server: why it is down, what it wrote to its error output. */
  readonly redact?: (text: string) => string;
  /** Nothing that needs the box as a whole should begin while this server is not up. */
  readonly required?: boolean;
  /** Stops the server’s process after this long without a call; its tools stay, and the next call starts it again. */
  readonly idleStopMs?: number;
}

/** What only the one who connects knows. */
interface Connecting extends Pick<ConnectionOptions, 'onListChanged' | 'onResourceUpdated' | 'logLevel' | 'signal'> {
  roots(): readonly CallRoot[];
  readonly lines: RecentLines;
}

const { version } = createRequire(import.meta.url)('../../../package.json') as { version: string };
const sharedVerdicts = createMemoryProtocolVersionCache();
const usualConnectTimeoutMs = 60_000;
const usualLargestMessage = 64 * 1024 * 1024;
/**
 * How long the probe runs before the older handshake is tried too. A program may ignore unknown requests. A web server always answers,
 * so silence means that it is slow, and a server of the 2026 revision should not receive the older handshake.
 */
const maxProbeAloneMs = { stdio: 3000, sse: 3000, http: 20_000 } as const;

/** What one connection is made with. */
export async function connectionOptions(
  { transport, onElicit, onSample, ...options }: McpServerOptions,
  { lines, roots, ...connecting }: Connecting,
): Promise<ConnectionOptions> {
  const reached = typeof transport === 'function' ? await transport() : transport;
  const timeoutMs = options.connectTimeoutMs ?? usualConnectTimeoutMs;
  return {
    ...connecting,
    transport: reached,
    version,
    protocolVersions: options.protocolVersions ?? sharedVerdicts,
    lines,
    maxMessageBytes: options.maxMessageBytes ?? usualLargestMessage,
    timeoutMs,
    probeAloneMs: Math.min(maxProbeAloneMs[reached.type], timeoutMs / 3),
    answering: {
      roots,
      onElicit,
      onSample,
      onLog: ({ level, data }) => lines.add(`${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`),
    },
  };
}

/** How a server is reached: a program to run, or an address. */
export type McpTransport = ({ readonly type: 'stdio' } & ProgramOptions) | HttpTransportOptions;
